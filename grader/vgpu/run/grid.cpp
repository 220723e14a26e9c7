#include "vgpu/run/grid.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <optional>

#include "vgpu/run/wave.hpp"
#include "vgpu/run/working_blocks.hpp"

namespace vgpu::exec {
namespace {

/// About four times what it costs to find a race: after some million races, more of them say nothing new.
constexpr std::uint64_t kStepsPerRace = 16;

/// Rounds in which each waiting block does the same again, before the launch is given up.
constexpr std::uint64_t kMostIdleRounds = 8;

/// A block that runs directly on memory.
struct Resident {
  std::uint64_t block = 0;
  std::unique_ptr<BlockRunner> runner;
  std::uint64_t spent = 0;  ///< warp instructions so far
  /// Grid::changes_ at the end of a turn in which nothing changed; its next turn is the same until that
  /// grows.
  std::optional<std::uint64_t> idle_since = {};
};

class Grid {
 public:
  Grid(const LaunchContext& launch, GlobalMemory& memory, WorkerPool& pool, const GridOptions& options)
      : launch_(launch),
        memory_(memory),
        options_(options),
        blocks_(launch.grid.count()),
        workers_(in_order() ? 0 : std::min<std::uint64_t>({pool.size(), blocks_, kWaveBlocks})),
        checker_(make_checker()),
        wave_(launch_, memory, pool, options, workers_, checker_.get()) {
    if (options.records) recorder_.emplace(*launch_.program);
    if (launch.has_caches) memory_side_.emplace(launch.l2_bytes);
  }

  GridResult run() {
    for (std::uint64_t first = 0; first < blocks_ && !ended_; first += kWaveBlocks) {
      const std::uint64_t count = std::min(kWaveBlocks, blocks_ - first);
      in_order() ? start_all_alone(first, count) : run_wave(first, count);
    }
    while (!waiting_.empty() && !ended_) take_turns();
    wave_.add_counts_to(result_.counters, result_.shared_use);
    result_.working_blocks = working_blocks_.count();
    result_.storing_blocks = storing_blocks_.count();
    result_.loading_blocks = loading_blocks_.has_work() ? loading_blocks_.count() : 0;
    // Not if nothing was logged: then all blocks store equally little.
    if (blocks_by_granules_.has_work())
      result_.storing_blocks = std::max(result_.storing_blocks, blocks_by_granules_.count());
    if (!result_.fault && !result_.stopped) sum_up_sites();
    result_.counters.cache += memory_side_ ? memory_side_->traffic() : without_caches();
    if (checker_) {
      result_.findings = checker_->take_findings();
      // Blocks after a faulting one have read memory, too; which ones depends on timing.
      if (!result_.fault && !result_.stopped) add_reads();
      result_.accesses = checker_->take_accesses();
    }
    if (blocks_ > kWaveBlocks) wave_.release();  // for less memory, to wake the workers would take longer
    return std::move(result_);
  }

 private:
  std::unique_ptr<LaunchChecker> make_checker() {
    if (!launch_.checks.any()) return nullptr;
    auto checker = std::make_unique<LaunchChecker>(launch_, memory_, Wave::parts(workers_));
    launch_.launch_checker = checker.get();
    return checker;
  }
  /// Whether the blocks write memory themselves, one at a time.
  bool in_order() const {
    return launch_.program->needs_block_order || launch_.cooperative || options_.in_order;
  }
  std::uint64_t budget() const {
    const std::uint64_t spent = steps() + spent_waiting_;
    return options_.step_limit - std::min(spent, options_.step_limit);
  }
  /// Steps of the blocks that have ended. Races count, so that a kernel whose blocks all use the same memory
  /// also reaches the step limit long before the time limit, on any machine.
  std::uint64_t steps() const { return executed_ + steps_of_races(); }
  std::uint64_t steps_of_races() const { return checker_ ? kStepsPerRace * checker_->harmful_races() : 0; }

  void start_all_alone(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && !ended_; ++i) start_alone(first + i);
  }

  void run_wave(std::uint64_t first, std::uint64_t count) {
    wave_.run(first, count, budget());
    const std::uint64_t applied = wave_.apply();
    if (applied == count && commit_together(count)) return;
    for (std::uint64_t i = 0; i < count && !ended_; ++i) {
      BlockOutcome& outcome = wave_.outcome(i);
      if (outcome.stop == Stop::needs_order) {
        // The block runs again, directly on memory; what it stored in its view is discarded.
        outcome.view.clear();
        start_alone(first + i);
      } else {
        commit(first + i, outcome, i < applied ? Applied::by_parts : Applied::no);
      }
    }
  }

  /// As commit() of each block of an applied wave, but without a visit of their outcomes. False without any
  /// effect if the order of the blocks makes a difference.
  bool commit_together(std::uint64_t count) {
    if (recorder_ || memory_side_ || !wave_.can_commit_together()) return false;
    std::uint64_t steps = this->steps();
    for (std::uint64_t i = 0; i < count; ++i) steps += wave_.figures(i).warp_instructions;
    if (steps > options_.step_limit) return false;
    for (std::uint64_t i = 0; i < count; ++i) add(wave_.figures(i));
    wave_.keep_counts();
    return true;
  }

  void add(const BlockFigures& figures) {
    executed_ += figures.warp_instructions;
    blocks_by_granules_.add(figures.stored_granules);
    working_blocks_.add(figures.warp_instructions);
    loading_blocks_.add(figures.loaded_bytes);
    storing_blocks_.add(figures.stores);
  }

  /// Runs a block directly on memory, once fewer blocks wait than the device holds.
  void start_alone(std::uint64_t block) {
    while (waiting_.size() >= options_.resident_blocks && !ended_) take_turns();
    if (ended_) return;
    if (free_.empty())
      free_.push_back(std::make_unique<BlockRunner>(launch_, memory_, options_.records, options_.terms));
    Resident resident{block, std::move(free_.back()), 0};
    free_.pop_back();
    const GiveUp give_up(options_.stop, nullptr, block);
    take_turn(*resident.runner, [&](BlockRunner& runner) { runner.start(block, budget(), &give_up); });
    polls_in_vain_ = 0;
    ++changes_;
    finish(resident);
    if (resident.runner != nullptr) waiting_.push_back(std::move(resident));
  }

  template <class Run>
  void take_turn(BlockRunner& runner, Run run) {
    assert((runner.trace() != nullptr) == memory_side_.has_value());  // both follow has_caches
    if (runner.trace() != nullptr) runner.trace()->pass_on_to(&*memory_side_);
    run(runner);
    if (runner.trace() != nullptr) runner.trace()->pass_on_to(nullptr);
  }

  /// Every waiting block continues until it waits again or ends, except those whose turn would be the last
  /// one again. If that is all of them, the polls of this round count as many: nothing in memory will change,
  /// but a loop whose progress shows in no register might still end. Once a block has been idle, every
  /// other round goes backwards, so that a chain of blocks, each of which waits for its neighbour, is
  /// resolved in a round or two.
  void take_turns() {
    const bool are_all_idle =
        std::all_of(waiting_.begin(), waiting_.end(), [this](const Resident& one) { return is_idle(one); });
    const std::uint64_t before = polls_in_vain_;
    goes_backwards_ = has_idle_ && !goes_backwards_;
    for (std::size_t i = 0; i < waiting_.size() && !ended_; ++i) {
      Resident& next = goes_backwards_ ? waiting_[waiting_.size() - 1 - i] : waiting_[i];
      if (are_all_idle || !is_idle(next)) continue_block(next);
    }
    if (are_all_idle && polls_in_vain_ > before)
      polls_in_vain_ += launch_.max_polls_in_vain / kMostIdleRounds;
    std::erase_if(waiting_, [](const Resident& resident) { return resident.runner == nullptr; });
  }

  bool is_idle(const Resident& resident) const { return resident.idle_since == changes_; }

  void continue_block(Resident& resident) {
    const GiveUp give_up(options_.stop, nullptr, resident.block);
    assert(resident.runner != nullptr && resident.spent <= spent_waiting_);
    spent_waiting_ -= resident.spent;
    const std::uint64_t left = budget() - std::min(budget(), resident.spent);
    take_turn(*resident.runner, [&](BlockRunner& runner) {
      runner.core().polls_in_vain = polls_in_vain_;
      runner.resume_turn(left, &give_up);
      polls_in_vain_ = runner.core().polls_in_vain;
    });
    finish(resident);
  }

  /// Ends the turn of a block that runs alone. If the block has ended, commits its outcome and frees its
  /// runner.
  void finish(Resident& resident) {
    BlockRunner& runner = *resident.runner;
    if (runner.core().stop == Stop::waits) {
      // Other blocks can load what this one has stored.
      if (options_.terms != nullptr) options_.terms->commit(runner.terms()->take());
      resident.spent = runner.core().executed();
      spent_waiting_ += resident.spent;
      result_.blocks_wait = true;
      if (runner.is_idle()) {
        resident.idle_since = changes_;
        has_idle_ = true;
      } else {
        ++changes_;
      }
      return;
    }
    ++changes_;
    BlockOutcome outcome(0);
    outcome.take(runner);
    free_.push_back(std::move(resident.runner));
    commit(resident.block, outcome, Applied::by_block);
  }

  /// Whether what a block stored is in memory.
  enum class Applied : std::uint8_t {
    no,
    by_parts,  ///< and its accesses were compared with those of other blocks
    by_block   ///< which ran directly on memory
  };

  void commit(std::uint64_t block, BlockOutcome& outcome, Applied applied) {
    if (outcome.stop == Stop::abandoned) {
      result_.stopped = true;
      ended_ = true;
      return;
    }
    if (checker_) {
      checker_->add(std::move(outcome.findings), applied == Applied::by_block);
      applied == Applied::by_parts ? checker_->add_searched(block, outcome.log)
                                   : checker_->add(block, outcome.log, &outcome.view);
    }
    if (applied == Applied::no) outcome.view.commit(memory_);
    if (memory_side_) {
      memory_side_->serve(outcome.passed_on);
      memory_side_->add(outcome.atomics);
    }
    l1_lines_ += outcome.l1_lines;
    l1_in_flight_sectors_ += outcome.l1_in_flight_sectors;
    result_.counters += outcome.counters;
    result_.shared_use = result_.shared_use.most(outcome.shared_use);
    if (recorder_ && outcome.recording) recorder_->add(coordinates(block), *std::move(outcome.recording));
    if (options_.terms != nullptr) options_.terms->commit(std::move(outcome.terms));
    add(BlockFigures::of(outcome));
    if (result_.printed.size() + outcome.printed.size() <= launch_.printf_bytes)
      result_.printed += outcome.printed;
    if (outcome.stop == Stop::fault) {
      end_with(outcome.fault);
    } else if (steps() > options_.step_limit) {
      end_with(step_limit_fault(block));
    }
  }

  /// The traffic of a device without caches: every sector of global memory is DRAM traffic.
  CacheTraffic without_caches() const {
    const Counters& counters = result_.counters;
    CacheTraffic traffic;
    traffic.dram_read_bytes = (counters.global_loads.sectors + counters.global_atomics.sectors +
                               counters.texture_fetches.sectors + counters.surface_loads.sectors) *
                              kSectorBytes;
    traffic.dram_write_bytes =
        (counters.global_stores.sectors + counters.surface_stores.sectors) * kSectorBytes;
    return traffic;
  }

  template <class Visit>
  void for_runners(Visit visit) const {
    for (const auto& runner : wave_.runners()) visit(*runner);
    for (const auto& runner : free_) visit(*runner);
  }

  void add_reads() {
    for_runners(
        [this](BlockRunner& runner) { checker_->add_reads(runner.core().checker->unstored_reads()); });
  }

  void sum_up_sites() {
    SiteCounts sum(*launch_.program);
    for_runners([&](const BlockRunner& runner) { sum += runner.sites(); });
    result_.lines = lines_of(*launch_.program, sum);
    if (recorder_) result_.recording = recorder_->take();
    result_.work = work_of(*launch_.program, sum);
    result_.work.l1_lines = l1_lines_;
    result_.work.l1_in_flight_sectors = l1_in_flight_sectors_;
    if (!memory_side_) return;
    result_.work.stored_lines = memory_side_->stored_lines();
    result_.work.hottest_atomics = memory_side_->hottest_atomics();
  }

  void end_with(const Fault& fault) {
    result_.fault = fault;
    if (fault.kind == FaultKind::step_limit && steps_of_races() > options_.step_limit / 2)
      result_.fault->detail = kRacesTooOften;
    ended_ = true;
  }

  /// The fault of a launch whose blocks exceed the step limit together, but none of them alone.
  Fault step_limit_fault(std::uint64_t block) const {
    const Program& program = *launch_.program;
    Fault fault;
    fault.kind = FaultKind::step_limit;
    fault.kernel = program.kernel;
    const Origin& origin = program.origins.front();
    fault.source = origin.source;
    fault.instruction = origin.spelled;
    if (origin.source.file < program.files.size()) fault.file = program.files[origin.source.file];
    fault.block = coordinates(block);
    fault.detail = kManyBlocks;
    return fault;
  }

  Dim3 coordinates(std::uint64_t block) const {
    const Dim3& grid = launch_.grid;
    return {static_cast<std::uint32_t>(block % grid.x), static_cast<std::uint32_t>(block / grid.x % grid.y),
            static_cast<std::uint32_t>(block / grid.x / grid.y)};
  }

  LaunchContext launch_;
  GlobalMemory& memory_;
  const GridOptions& options_;
  std::uint64_t blocks_;
  std::uint64_t workers_;  ///< that run waves
  std::unique_ptr<LaunchChecker> checker_;
  Wave wave_;
  std::vector<std::unique_ptr<BlockRunner>> free_;  ///< for blocks that run alone
  std::vector<Resident> waiting_;    ///< blocks that run alone and have not ended, in block order
  std::uint64_t executed_ = 0;       ///< warp instructions of the blocks that have ended
  std::uint64_t spent_waiting_ = 0;  ///< warp instructions of the blocks in `waiting_` so far
  std::uint64_t polls_in_vain_ = 0;  ///< Core::polls_in_vain, across blocks
  std::uint64_t changes_ = 0;        ///< turns in which something changed
  bool has_idle_ = false;            ///< a block has been idle
  bool goes_backwards_ = false;      ///< the last round
  std::optional<LaunchRecorder> recorder_;
  std::optional<MemorySide> memory_side_;  ///< only on devices with caches
  std::uint64_t l1_lines_ = 0, l1_in_flight_sectors_ = 0;
  WorkingBlocks working_blocks_, loading_blocks_, storing_blocks_, blocks_by_granules_;
  GridResult result_;
  bool ended_ = false;
};

}  // namespace

GridResult run_grid(const LaunchContext& launch, GlobalMemory& memory, WorkerPool& pool,
                    const GridOptions& options) {
  try {
    return Grid(launch, memory, pool, options).run();
  } catch (const std::bad_alloc&) {
    GridResult result;
    result.out_of_memory = true;
    return result;
  }
}

}  // namespace vgpu::exec
