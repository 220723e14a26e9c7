// The state of execution: a warp (32 lanes in lock step), its diverged paths, and the core that runs one
// block at a time. A core belongs to one worker thread; nothing in here is shared between threads but what it
// points to as const.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vgpu/facts/checks.hpp"
#include "vgpu/facts/fault.hpp"
#include "vgpu/state/arrivals.hpp"
#include "vgpu/state/async_copies.hpp"
#include "vgpu/state/block_view.hpp"
#include "vgpu/state/decoded.hpp"
#include "vgpu/state/global_memory.hpp"
#include "vgpu/state/site_counts.hpp"

namespace vgpu::exec {

/// What a memory instruction does, by its form alone.
struct AccessForm {
  ptx::Space space = ptx::Space::none;
  Traffic traffic = Traffic::load;
  std::uint8_t bytes = 0;          ///< a lane
  std::uint8_t element_bytes = 0;  ///< less than `bytes` for vectors
};

/// What the last execution of a memory instruction learned about its lanes' addresses. While the differences
/// between the lanes stay the same, bounds, alignment and cost follow from the first lane's address alone.
struct Memo {
  static constexpr std::uint8_t kNotMerged = 0xFF;
  enum class Pattern : std::uint8_t { scattered, groups_contiguous, groups_uniform };

  alignas(64) std::array<std::uint64_t, kWarpLanes> delta{};    ///< address minus the first active lane's;
  alignas(64) std::array<std::uint32_t, kWarpLanes> delta32{};  ///< 0 in lanes outside `mask`
  std::uint32_t mask = 0;                                       ///< 0: nothing learned yet
  Pattern pattern = Pattern::scattered;                         ///< of every 8 lanes, see access.hpp
  std::uint64_t lowest = 0, highest = 0;                        ///< smallest and largest delta
  std::uint64_t alignment = 0;                                  ///< all deltas or-ed
  AccessForm form;
  std::uint8_t merged_bytes = kNotMerged;  ///< Program::MergedAccess
  std::uint32_t origin = 0;                ///< of the instruction, index into Program::origins
  /// How often the pattern occurred, by base mod 32: all that its cost depends on. settle() turns this into
  /// sectors or wavefronts when the pattern changes or the block ends.
  std::array<std::uint64_t, kSectorBytes> seen{};
  // The allocation last hit.
  std::uint64_t start = 1, end = 0;
  std::byte* host = nullptr;
  std::uint32_t allocation = 0;
  bool constant = false;
};

/// Lanes of a warp that run together.
struct Path {
  const Decoded* next = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t join = 0;  ///< index into Warp::joins
};

/// Where lanes meet again: those that a branch split, or those that called a function. A path that reaches
/// `at` adds its lanes to `arrived`; the last one to arrive (or to end) runs on with all of them. joins[0] is
/// the end of the kernel.
struct Join {
  const Decoded* at = nullptr;
  std::uint32_t parent = 0;
  std::uint32_t arrived = 0;
  std::uint32_t pending = 0;  ///< paths that have neither arrived nor ended
  std::uint32_t call = 0;     ///< the join at which the function that the lanes run returns
  std::uint32_t frame = 0;    ///< where that function's frame starts in each thread's local memory, bytes
};

/// What a polling instruction read last.
struct Poll {
  std::uint64_t seen = 0;  ///< digest of the lanes' values
  std::uint32_t mask = 0;
  std::uint32_t times = 0;  ///< the same in a row
};

struct Core;
class BlockChecker;
class LaunchChecker;

struct alignas(64) Warp {
  std::array<std::uint32_t, kWarpLanes> on{};  ///< all ones in active lanes, 0 in others
  std::byte* file = nullptr;                   ///< registers
  std::uint32_t mask = 0;                      ///< active lanes
  std::uint32_t active = 0;                    ///< how many
  std::uint32_t carry = 0;                     ///< a bit a lane: condition code of add.cc and the like
  bool may_write_all = false;  ///< the inactive lanes do not exist or have ended: results there do no harm
  std::uint32_t live = 0;      ///< lanes that exist and have not ended
  std::uint32_t passed =
      0;                    ///< lanes that ran an instruction at which others wait for them (warp_groups.hpp)
  std::uint32_t join = 0;   ///< of the running path
  std::uint32_t index = 0;  ///< in the block
  Core* core = nullptr;
  std::vector<Path> ready;   ///< runnable paths, the next one last
  std::vector<Path> parked;  ///< at a barrier or a warp-wide instruction, in order of arrival
  std::vector<Join> joins;
  std::vector<std::uint32_t> free_joins;  ///< indexes into `joins`
  std::byte* local = nullptr;             ///< local memory of lane 0
  AsyncCopies copies;                     ///< under way
  bool yields = false;                    ///< waits for other threads in a loop: other warps go first

  void set_mask(std::uint32_t lanes) {
    static constexpr auto kBit = [] {
      std::array<std::uint32_t, kWarpLanes> bits{};
      for (int lane = 0; lane < kWarpLanes; ++lane) bits[lane] = 1U << lane;
      return bits;
    }();
    mask = lanes;
    active = static_cast<std::uint32_t>(std::popcount(lanes));
    may_write_all = (lanes | ~live) == kFullMask;
    for (int lane = 0; lane < kWarpLanes; ++lane) on[lane] = (lanes & kBit[lane]) != 0 ? kFullMask : 0;
  }
  std::uint32_t& predicate(std::uint32_t offset) { return *reinterpret_cast<std::uint32_t*>(file + offset); }
  int first_lane() const { return std::countr_zero(mask); }
  /// Where the running function's frame starts in local memory.
  std::uint32_t frame() const { return joins[join].frame; }
  std::byte* local_of(int lane) const;
};

/// Geometry and inputs of a launch, the same for all blocks. No field has a default, so that the compiler
/// reports a field that the initialiser leaves out.
struct LaunchContext {
  const Program* program;
  Dim3 grid;
  Dim3 block;
  std::vector<std::byte> parameters;
  std::uint32_t shared_bytes;  ///< static and dynamic
  std::uint32_t dynamic_shared_bytes;
  std::uint32_t local_bytes;   ///< per thread, including its stack if the program calls functions
  std::uint32_t local_stride;  ///< bytes from one thread's local memory to the next thread's
  std::uint32_t stack_bytes;   ///< per thread, as the program requested; local_bytes includes more
  bool cooperative;
  std::uint64_t grid_workspace;  ///< address, 0 unless cooperative; see special_registers.cpp
  std::uint32_t sm_count;
  std::uint64_t max_polls_in_vain;  ///< the limit of Core::polls_in_vain, after which the launch is given up
  std::size_t printf_bytes;
  Checks checks;
  LaunchChecker* launch_checker;  ///< for blocks that run alone; nullptr: nothing is checked
  bool has_caches;
  std::size_t l1_bytes;  ///< a block's share
  std::size_t l2_bytes;
};

/// Why a block stopped early.
enum class Stop : std::uint8_t {
  none,
  fault,
  needs_order,  ///< must run alone, after all blocks before it (grid.hpp)
  waits,        ///< for other blocks; runs on when they have had their turn
  abandoned     ///< nobody will look at its results
};

/// Asked every few thousand instructions; true: the block's results will not be looked at.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  virtual bool abandon() const = 0;
};

class CacheTrace;

struct Core {
  const LaunchContext* launch = nullptr;
  GlobalMemory* memory = nullptr;
  BlockView* view = nullptr;    ///< nullptr: the block runs alone and writes memory itself
  CacheTrace* trace = nullptr;  ///< nullptr: the device has no caches
  const Interrupt* interrupt = nullptr;
  BlockChecker* checker = nullptr;  ///< nullptr: nothing is checked

  std::byte* shared = nullptr;
  std::vector<Memo> memos;
  SiteCounts sites;

  Dim3 block{0, 0, 0};
  std::uint64_t budget = 0;  ///< instructions that may still run before `reserve` is asked
  std::uint64_t reserve = 0;
  std::uint64_t granted = 0;  ///< `budget` and `reserve` when the block began
  Stop stop = Stop::none;
  Fault fault;
  std::string printed;

  std::uint64_t known_frees = 0;    ///< GlobalMemory::frees() that `memos` know of
  std::vector<Poll> polls;          ///< by warp and polling instruction
  std::uint64_t polls_in_vain = 0;  ///< in a row, of all threads that run in turn, that saw nothing new
  Arrivals arrivals{};

  std::vector<Warp> warps;

  const Program& program() const { return *launch->program; }
  Tally& tally_of(const Decoded& d) {
    return sites.instructions[static_cast<std::size_t>(&d - program().code.data())];
  }
  /// Instructions that the block has run so far.
  std::uint64_t executed() const { return granted - reserve - budget; }
};

inline std::byte* Warp::local_of(int lane) const {
  return local + static_cast<std::size_t>(lane) * core->launch->local_stride;
}

/// Coordinates of a lane's thread in its block.
Dim3 thread_of(const Warp& warp, int lane);

/// A fault of `count` lanes, the first of which is `lane`; stops the block and returns nullptr for the
/// handler to return. The caller may go on to fill in core.fault.
const Decoded* raise(Warp& warp, const Decoded& instruction, FaultKind kind, int lane, std::uint32_t count);

/// Stops the block without a fault.
const Decoded* stop_block(Warp& warp, Stop why);

}  // namespace vgpu::exec
