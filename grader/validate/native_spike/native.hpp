// What the generated code of the native spike uses, and its interface with the program that runs it: the
// state of a block and a warp, and 32 lanes as four (4-byte values) or eight (8-byte values) AVX2 registers.
// decisions/0034-native-code.md describes the spike. Not part of the virtual GPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace native {

using Mask = std::uint32_t;
inline constexpr Mask kAllLanes = ~Mask{0};

enum class Pattern : std::uint8_t { scattered, contiguous, uniform };  ///< of each group of 8 lanes

/// How the lanes' addresses of a register differ. While this stays the same, the first lane's address
/// determines bounds and cost, as with Memo of the interpreter.
struct AddressClass {
  alignas(64) std::uint64_t delta[32] = {};
  alignas(64) std::uint32_t delta32[32] = {};
  Mask mask = 0;  ///< 0: nothing learned yet
  Pattern pattern = Pattern::scattered;
  std::int64_t lowest = 0, highest = 0;
  std::uint64_t alignment = 0;
};

/// Accesses of one basic block to the same address with constant offsets.
struct AccessGroup {
  std::uint64_t seen[32] = {};       ///< executions by address modulo 32
  std::uint64_t start = 1, end = 0;  ///< the allocation that the last execution accessed
  std::byte* host = nullptr;
  std::uint64_t segment = 0;  ///< one bit for the allocation; Context::touched
};

struct BlockTally {
  std::uint64_t warps = 0, threads = 0, diverged = 0;
};

enum class Status : std::uint8_t {
  ended,
  at_barrier,
  gives_up  ///< a fault or a rare case: the interpreter runs the block again from its start
};

struct Context;
struct Warp;

/// Functions of the program that runs the code.
struct Services {
  void (*learn)(Context&, std::uint32_t address_class, const std::uint64_t* addresses, Mask mask);
  bool (*locate)(Context&, std::uint32_t group, std::uint64_t low, std::uint64_t high);
  void (*store_words)(Context&, const AddressClass&, std::uint64_t base, const std::uint32_t* words);
  void (*load_words)(Context&, const AddressClass&, std::uint64_t base, const std::byte* host,
                     std::uint32_t* words);
  /// The search for races and unwritten memory; `words` is null for loads. False: the block gives up.
  bool (*check)(Context&, std::uint32_t warp, std::uint32_t site, std::uint64_t base,
                const std::uint32_t* words);
};

struct Context {
  const std::byte* parameters = nullptr;
  std::uint32_t ctaid[3] = {}, ntid[3] = {}, nctaid[3] = {};
  std::byte* shared = nullptr;
  std::int64_t shared_bytes = 0;
  AddressClass* classes = nullptr;
  AccessGroup* groups = nullptr;
  BlockTally* tallies = nullptr;
  std::int64_t budget = 0;    ///< instructions until the block has to ask for more
  std::uint64_t touched = 0;  ///< the allocations to which the block has stored
  Services services{};
};

struct Warp {
  alignas(64) std::uint32_t tid[3][32];
  std::uint32_t index = 0;   ///< in the block
  std::uint32_t resume = 0;  ///< the block of instructions after the barrier at which the warp waits
  Mask live = kAllLanes;
  std::byte* saved = nullptr;  ///< registers that are live at barriers
};

// Tables of a translated kernel.
struct BlockFacts {
  std::uint32_t instructions, flops;
  bool is_branch, is_barrier;
};
struct Site {
  std::uint32_t group;
  std::int32_t offset;
  bool is_store;
  std::uint32_t access;  ///< number of the PTX access: one can have two sites
};
struct GroupFacts {
  std::uint32_t address_class;
  bool is_shared;
};
struct Kernel {
  Status (*run)(Context&, Warp&);
  std::uint32_t saved_bytes, shared_bytes, classes;
  const BlockFacts* blocks;
  std::uint32_t block_count;
  const GroupFacts* groups;
  std::uint32_t group_count;
  const Site* sites;
  std::uint32_t site_count;
};

}  // namespace native
