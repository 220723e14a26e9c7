// The state of execution: a warp (32 lanes in lockstep), its diverged paths, and the core that runs one block
// at a time. A core belongs to one worker thread; threads share only what a core points to as const.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vgpu/facts/checks.hpp"
#include "vgpu/facts/fault.hpp"
#include "vgpu/state/arrivals.hpp"
#include "vgpu/state/async_copies.hpp"
#include "vgpu/state/block_time.hpp"
#include "vgpu/state/block_view.hpp"
#include "vgpu/state/decoded.hpp"
#include "vgpu/state/global_memory.hpp"
#include "vgpu/state/site_counts.hpp"

namespace vgpu::exec {

/// The properties of an access that follow from the instruction's form alone.
struct AccessForm {
  ptx::Space space = ptx::Space::none;
  Traffic traffic = Traffic::load;
  std::uint8_t bytes = 0;          ///< per lane
  std::uint8_t element_bytes = 0;  ///< less than `bytes` for vectors
};

/// What one execution of a memory instruction costs a warp.
struct AccessCost {
  std::uint16_t units = 0;   ///< wavefronts, sectors, or passes over constant memory; 0: not computed yet
  std::uint16_t ideal = 0;   ///< shared memory: wavefronts without bank conflicts
  std::uint16_t merged = 0;  ///< shared memory: wavefronts as Memo::merged_bytes says
};

/// The address pattern of the last execution of a memory instruction. While the differences between the
/// lanes' addresses stay the same, bounds, alignment and cost follow from the first lane's address alone.
struct Memo {
  static constexpr std::uint8_t kNotMerged = 0xFF;
  enum class Pattern : std::uint8_t { scattered, groups_contiguous, groups_uniform };

  alignas(64) std::array<std::uint64_t, kWarpLanes> delta{};    ///< address minus the first active lane's;
  alignas(64) std::array<std::uint32_t, kWarpLanes> delta32{};  ///< 0 in lanes outside `mask`
  std::uint32_t mask = 0;                                       ///< 0: nothing learned yet
  std::uint32_t learned = 0;                                    ///< number of patterns learned so far
  Pattern pattern = Pattern::scattered;                         ///< of each group of 8 lanes, see access.cpp
  std::uint64_t lowest = 0, highest = 0;                        ///< smallest and largest delta
  std::uint64_t alignment = 0;                                  ///< all deltas or-ed
  AccessForm form;
  std::uint8_t merged_bytes = kNotMerged;  ///< Program::MergedAccess
  std::uint32_t origin = 0;                ///< of the instruction, index into Program::origins
  /// Number of occurrences of the pattern by base mod 32, on which alone its cost depends. settle() turns
  /// this into sectors or wavefronts when the pattern changes or the block ends.
  std::array<std::uint64_t, kSectorBytes> seen{};
  /// The cost of one occurrence, also by base mod 32, once settle() has needed it.
  std::array<AccessCost, kSectorBytes> cost{};
  // The allocation that the last execution accessed.
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

/// A point at which lanes reconverge that a branch split or that called a function. A path that reaches `at`
/// adds its lanes to `arrived`; the last path to arrive (or to end) continues with all of them. joins[0] is
/// the end of the kernel. Every running, ready or parked path, and every join inside, counts once in
/// `pending` of its join.
struct Join {
  const Decoded* at = nullptr;
  std::uint32_t parent = 0;
  std::uint32_t arrived = 0;
  std::uint32_t pending = 0;  ///< paths and inner joins that have neither arrived nor ended
  std::uint32_t call = 0;     ///< the join at which the lanes' current function returns
  std::uint32_t frame = 0;    ///< start of that function's frame in each thread's local memory, bytes
};

/// The values that a polling instruction read last.
struct Poll {
  std::uint64_t seen = 0;  ///< digest of the lanes' values
  std::uint32_t mask = 0;
  std::uint32_t times = 0;      ///< consecutive reads of the same values
  std::uint64_t registers = 0;  ///< digest of the warp's registers when it waited last
};

struct Core;
class BlockChecker;
class LaunchChecker;

struct alignas(64) Warp {
  std::array<std::uint32_t, kWarpLanes> on{};  ///< all ones in active lanes, 0 in others
  std::byte* file = nullptr;                   ///< registers
  std::uint32_t mask = 0;                      ///< active lanes
  std::uint32_t active = 0;                    ///< number of active lanes
  std::uint32_t carry = 0;                     ///< one bit per lane: condition code of add.cc and the like
  bool may_write_all =
      false;               ///< inactive lanes do not exist or have ended: writing results there is harmless
  std::uint32_t live = 0;  ///< lanes that exist and have not ended
  std::uint32_t passed =
      0;  ///< lanes that passed an instruction at which others wait for them (warp_groups.hpp)
  std::uint32_t join = 0;   ///< the running path's, index into `joins`
  std::uint32_t index = 0;  ///< number in the block
  Core* core = nullptr;
  std::vector<Path> ready;   ///< runnable paths, the next one last
  std::vector<Path> parked;  ///< at a barrier or a warp-wide instruction, in order of arrival
  std::vector<Join> joins;
  std::vector<std::uint32_t> free_joins;  ///< indexes into `joins`
  std::byte* local = nullptr;             ///< local memory of lane 0
  AsyncCopies copies;                     ///< unfinished copies
  bool yields = false;                    ///< waits for other threads in a loop: other warps run first
  std::uint32_t tested = 0;  ///< lanes whose test of an mbarrier failed since they last slept (spinning.hpp)

  /// Makes `lanes` the active ones: at least one, all of them live.
  void set_mask(std::uint32_t lanes) {
    assert(lanes != 0 && (lanes & ~live) == 0);
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
  /// The start of the running function's frame in local memory.
  std::uint32_t frame() const { return joins[join].frame; }
  std::byte* local_of(int lane) const;
};

/// Geometry and inputs of a launch, the same for all blocks. No field has a default, so that the compiler
/// reports a field that the initialiser leaves out.
class BlockClock;  // cost/block_clock.hpp

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
  bool warps_backwards;             ///< the last warp of a block runs first
  std::uint64_t max_polls_in_vain;  ///< the limit of Core::polls_in_vain, after which the launch is given up
  std::size_t printf_bytes;
  Checks checks;
  LaunchChecker* launch_checker;  ///< for blocks that run alone; nullptr: nothing is checked
  bool has_caches;
  std::size_t l1_bytes;  ///< a block's share
  std::size_t l2_bytes;
  const BlockClock* clock;  ///< nullptr: the program reads no clock
};

/// Why a block stopped early.
enum class Stop : std::uint8_t {
  none,
  fault,
  needs_order,  ///< must run alone, after all blocks before it (grid.hpp)
  waits,        ///< for other blocks; continues after their turn
  abandoned     ///< its results are not needed
};

/// Polled every 65,536 instructions of a block. True: the block's results are not needed.
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
  /// Values are followed through registers (check/value_flow.hpp).
  bool follows_values = false;
  /// Set by a handler that returns nullptr: the warp continues here, with values followed.
  const Decoded* detour = nullptr;
  BlockChecker* checker = nullptr;  ///< nullptr: no checks

  std::byte* shared = nullptr;
  std::vector<Memo> memos;
  SiteCounts sites;

  Dim3 block{0, 0, 0};
  std::uint64_t budget = 0;  ///< instructions that can run before `reserve` is used
  std::uint64_t reserve = 0;
  std::uint64_t granted = 0;  ///< `budget` and `reserve` when the block began
  BlockTime time;             ///< of programs that read the clock
  Stop stop = Stop::none;
  Fault fault;
  std::string printed;

  std::uint64_t known_frees = 0;  ///< GlobalMemory::frees() when `memos` were last valid
  std::vector<Poll> polls;        ///< by warp and polling instruction
  std::uint64_t polls_in_vain =
      0;  ///< consecutive polls, of all blocks that take turns, that saw nothing new
  /// What happened in this turn, of a block that runs alone.
  struct Turn {
    bool saw_news = false;         ///< a poll saw a new value, or its loop made progress
    bool changed_memory = false;   ///< by an atomic operation
    std::uint32_t idle_waits = 0;  ///< a warp came round its loop without any change in its registers
  };
  Turn turn;
  std::uint64_t failed_tests = 0;  ///< consecutive failed tests of mbarriers, while nothing else happened
  Arrivals arrivals{};

  std::vector<Warp> warps;

  const Program& program() const { return *launch->program; }
  Tally& tally_of(const Decoded& d) {
    const auto index = static_cast<std::size_t>(&d - program().code.data());
    assert(index < sites.instructions.size());  // `d` is an instruction of the program, not a copy of one
    return sites.instructions[index];
  }
  /// Instructions that the block has run so far.
  std::uint64_t executed() const { return granted - reserve - budget; }
};

inline std::byte* Warp::local_of(int lane) const {
  return local + static_cast<std::size_t>(lane) * core->launch->local_stride;
}

/// Calls visit(lane) for the lanes that run the current instruction.
template <class Visit>
void for_active(const Warp& warp, Visit visit) {
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) visit(std::countr_zero(rest));
}

/// Coordinates of a lane's thread in its block.
Dim3 thread_of(const Warp& warp, int lane);

/// Raises a fault of `count` lanes, the first of which is `lane`: stops the block and returns nullptr for the
/// handler to return. The caller may add facts to core.fault.
const Decoded* raise(Warp& warp, const Decoded& instruction, FaultKind kind, int lane, std::uint32_t count);

/// Stops the block without a fault; `why` is neither Stop::none nor Stop::fault. Returns nullptr.
const Decoded* stop_block(Warp& warp, Stop why);

}  // namespace vgpu::exec
