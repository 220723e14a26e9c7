#include "vgpu/run/grid.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <new>
#include <optional>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/check/launch_checker.hpp"
#include "vgpu/run/block.hpp"
#include "vgpu/run/working_blocks.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kWaveBytes = std::size_t{1} << 28U;      // limit for the views of a wave together
constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 24U;  // limit for the view of one block

/// About four times what it costs to find a race: after some million races, more of them say nothing new.
constexpr std::uint64_t kStepsPerRace = 16;

constexpr std::size_t kCacheLine = 64;  // of processors

/// The outcome of a block, kept until its turn to commit. Aligned, since workers write neighbouring outcomes
/// at the same time.
struct alignas(kCacheLine) Outcome {
  explicit Outcome(std::size_t view_bytes) : view(view_bytes) {}

  BlockView view;
  Stop stop = Stop::abandoned;
  Fault fault;
  Counters counters;
  std::string printed;
  std::vector<LineAccess> passed_on;  ///< from L1 to L2
  AtomicLoads atomics;
  std::uint64_t l1_lines = 0;  ///< lines looked up in L1
  std::uint64_t l1_in_flight_sectors = 0;
  std::vector<Fault> findings;
  BlockLog log;
  std::uint64_t stored_granules = 0;
  SharedUse shared_use;
  std::optional<BlockRecording> recording;
  StoredTerms terms;
  bool is_applied = false;  ///< to memory, and searched for races
};

/// What the commit of a wave needs of each block. Workers write it while they have the block's outcome in
/// their caches: these figures of all blocks are few lines of memory.
struct Figures {
  Stop stop = Stop::abandoned;
  PartSet parts;  ///< for which apply() has something to do
  bool has_findings = false, has_printed = false;
  std::uint64_t warp_instructions = 0, stores = 0, stored_granules = 0;
};

/// What one worker adds up of the blocks of a wave.
struct alignas(kCacheLine) Sums {
  Counters counters;
  SharedUse shared_use;
};

std::uint64_t stores_of(const Counters& counters) {
  return counters.global_stores.requests + counters.global_atomics.requests +
         counters.surface_stores.requests;
}

void take(Outcome& outcome, BlockRunner& runner) {
  Core& core = runner.core();
  outcome.stop = core.stop;
  outcome.counters = runner.counters();
  outcome.printed = std::move(core.printed);
  if (runner.trace() != nullptr) {
    outcome.passed_on = runner.trace()->take_passed_on();
    outcome.atomics = runner.trace()->take_atomics();
    outcome.l1_lines = runner.trace()->lines();
    outcome.l1_in_flight_sectors = runner.trace()->in_flight_sectors();
  }
  if (core.checker != nullptr) {
    outcome.findings = core.checker->take_findings();
    outcome.log = core.checker->take_log();
    outcome.stored_granules = outcome.log.stored_granules() + core.checker->take_reported_granules();
    outcome.shared_use = core.checker->shared_use();
  }
  if (runner.recorder() != nullptr) outcome.recording = runner.recorder()->take();
  if (runner.terms() != nullptr) outcome.terms = runner.terms()->take();
  if (core.stop == Stop::fault) outcome.fault = std::move(core.fault);
}

/// A block that runs directly on memory.
struct Resident {
  std::uint64_t block = 0;
  std::unique_ptr<BlockRunner> runner;
  std::uint64_t spent = 0;  ///< warp instructions so far
};

/// Blocks after a faulting block are discarded, and all blocks once the caller has stopped the launch.
class GiveUp : public Interrupt {
 public:
  GiveUp(const std::atomic<bool>* stop, const std::atomic<std::uint64_t>* first_fault, std::uint64_t block)
      : stop_(stop), first_fault_(first_fault), block_(block) {}
  bool abandon() const override {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return true;
    return first_fault_ != nullptr && first_fault_->load(std::memory_order_relaxed) < block_;
  }

 private:
  const std::atomic<bool>* stop_;
  const std::atomic<std::uint64_t>* first_fault_;
  std::uint64_t block_;
};

void lower_to(std::atomic<std::uint64_t>& value, std::uint64_t candidate) {
  // std::atomic has no minimum operation in C++20.
  std::uint64_t current = value.load();
  while (candidate < current && !value.compare_exchange_weak(current, candidate)) {
  }
}

/// Distributes the blocks of a wave over its workers: consecutive blocks together, since they mostly use
/// neighbouring memory, and fewer at a time towards the end, so that all workers finish together (guided
/// self-scheduling: Polychronopoulos and Kuck, IEEE Transactions on Computers 36(12), 1987).
class Shares {
 public:
  Shares(std::uint64_t count, std::uint64_t workers) : count_(count), workers_(workers) {}

  struct Range {
    std::uint64_t first = 0, end = 0;
    bool empty() const { return first == end; }
  };
  Range take() {
    std::uint64_t first = next_;
    Range range;
    do {
      assert(first <= count_);
      const std::uint64_t share = (count_ - first) / (kSharesOfRest * workers_);
      range = {first, std::min(count_, first + std::max<std::uint64_t>(share, 1))};
    } while (!next_.compare_exchange_weak(first, range.end));
    return range;
  }

 private:
  static constexpr std::uint64_t kSharesOfRest =
      2;  // shares per worker into which the remaining blocks are divided

  std::uint64_t count_, workers_;
  std::atomic<std::uint64_t> next_{0};
};

class Grid {
 public:
  Grid(const LaunchContext& launch, GlobalMemory& memory, WorkerPool& pool, const GridOptions& options)
      : launch_(launch), memory_(memory), pool_(pool), options_(options), blocks_(launch.grid.count()) {
    const std::uint64_t wave = std::min(blocks_, kWaveBlocks);
    const std::uint64_t workers = in_order() ? 0 : std::min<std::uint64_t>(pool.size(), wave);
    parts_ = std::bit_floor(std::clamp(static_cast<unsigned>(workers), 1U, MemoryPart::kMost));
    if (launch.checks.any()) checker_ = std::make_unique<LaunchChecker>(launch_, memory, parts_);
    launch_.launch_checker = checker_.get();
    sums_.resize(workers);
    figures_.resize(wave);
    make_outcomes(wave, static_cast<unsigned>(workers));
    if (options.records) recorder_.emplace(*launch_.program);
    if (launch.has_caches) memory_side_.emplace(launch.l2_bytes);
  }

  GridResult run() {
    for (std::uint64_t first = 0; first < blocks_ && !ended_; first += kWaveBlocks) {
      const std::uint64_t count = std::min(kWaveBlocks, blocks_ - first);
      assert(count <= outcomes_.size());
      if (!in_order()) run_wave(first, count);
      const std::uint64_t applied = parts_ > 1 ? apply(first, blocks_to_apply(count)) : 0;
      if (applied == count && commits_as_one(count)) {
        commit_wave(first, count);
        continue;
      }
      if (applied != 0) commit_applied(first, applied);
      for (std::uint64_t i = applied; i < count && !ended_; ++i) {
        if (outcomes_[i]->stop == Stop::needs_order || in_order()) {
          // The block runs again, directly on memory; what it stored in its view is discarded.
          outcomes_[i]->view.clear();
          start_alone(first + i);
        } else {
          commit(first + i, *outcomes_[i], /*alone=*/false);
        }
      }
    }
    while (!waiting_.empty() && !ended_) take_turns();
    result_.working_blocks = working_blocks_.count();
    result_.storing_blocks = storing_blocks_.count();
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
    // Much memory takes long to free. For little, to wake the workers would take longer.
    if (parts_ > 1 && blocks_ > kWaveBlocks) for_parts([this](unsigned part) { release(part); });
    return std::move(result_);
  }

 private:
  /// Whether the blocks write memory themselves, one at a time.
  bool in_order() const { return launch_.program->needs_block_order || launch_.cooperative; }
  std::uint64_t budget() const {
    const std::uint64_t spent = steps() + spent_waiting_;
    return options_.step_limit - std::min(spent, options_.step_limit);
  }
  /// Steps of the blocks that have ended. Races count, so that a kernel whose blocks all use the same memory
  /// also reaches the step limit long before the time limit, on any machine.
  std::uint64_t steps() const { return result_.counters.warp_instructions + steps_of_races(); }
  std::uint64_t steps_of_races() const { return checker_ ? kStepsPerRace * checker_->harmful_races() : 0; }

  /// With several workers, each makes its share, and touches the memory first.
  void make_outcomes(std::uint64_t wave, unsigned workers) {
    outcomes_.resize(wave);
    runners_.resize(workers);
    const auto make = [&](unsigned worker) {
      if (worker < workers)
        runners_[worker] = std::make_unique<BlockRunner>(launch_, memory_, options_.records, options_.terms);
      for (std::uint64_t i = worker; i < wave; i += std::max(workers, 1U))
        outcomes_[i].emplace(std::min(kWaveBytes / wave, kMaxBlockBytes));
    };
    workers > 1 ? for_threads(workers, make) : make(0);
  }

  void release(unsigned part) {
    if (checker_) checker_->release(part);
    for (std::uint64_t i = part; i < outcomes_.size(); i += parts_) outcomes_[i].reset();
    for (std::uint64_t i = part; i < runners_.size(); i += parts_) runners_[i].reset();
  }

  void run_wave(std::uint64_t first, std::uint64_t count) {
    std::fill(sums_.begin(), sums_.end(), Sums{});
    Shares shares(count, runners_.size());
    // Only blocks after the first fault are given up, so that the fault reported does not depend on the
    // workers.
    std::atomic<std::uint64_t> first_fault{blocks_};
    const auto work = [&](unsigned worker) {
      if (worker >= runners_.size()) return;
      try {
        for (auto range = shares.take(); !range.empty(); range = shares.take()) {
          for (std::uint64_t i = range.first; i < range.end; ++i) {
            run_block(first + i, *outcomes_[i], *runners_[worker], first_fault);
            if (parts_ > 1) figures_[i] = take_figures(*outcomes_[i], sums_[worker]);
          }
        }
      } catch (const std::bad_alloc&) {
        // An exception must not leave the function of a worker's thread.
        out_of_memory_ = true;
      }
    };
    if (runners_.size() == 1) {
      work(0);
    } else {
      pool_.run(work);
    }
    if (out_of_memory_) throw std::bad_alloc();
  }

  /// How many blocks of the wave, from its first one on, commit before a block runs again or ends the launch.
  std::uint64_t blocks_to_apply(std::uint64_t count) const {
    const auto first = figures_.begin();
    const auto other = std::find_if(first, first + static_cast<std::ptrdiff_t>(count),
                                    [](const Figures& figures) { return figures.stop != Stop::none; });
    return static_cast<std::uint64_t>(other - first);
  }

  /// What commit() has to do for each part of memory on its own. Returns the number of blocks for which it
  /// was done.
  std::uint64_t apply(std::uint64_t first, std::uint64_t count) {
    constexpr std::uint64_t kFewBlocks = 16;  // to wake the workers would cost more
    if (count < kFewBlocks) return 0;
    for_parts([&](unsigned part) {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (!figures_[i].parts.has(part)) continue;
        if (checker_) checker_->search(part, first + i, outcomes_[i]->log, &outcomes_[i]->view);
        outcomes_[i]->view.commit(memory_, part_of_memory(part));
      }
    });
    return count;
  }

  /// Commits blocks that were applied. Another thread meanwhile adds up their accesses.
  void commit_applied(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) outcomes_[i]->is_applied = true;
    for_parts([&](unsigned part) {
      if (part == 0)
        for (std::uint64_t i = 0; i < count && !ended_; ++i)
          commit(first + i, *outcomes_[i], /*alone=*/false);
      if (part == 1) add_accesses(count);
    });
  }

  /// Whether the order of the blocks of an applied wave makes no difference for what remains to be committed,
  /// apart from what the checks found: nothing is printed, and the wave does not reach the step limit.
  bool commits_as_one(std::uint64_t count) const {
    if (recorder_ || memory_side_) return false;
    std::uint64_t steps = this->steps() + (checker_ ? kStepsPerRace * checker_->found_races() : 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (figures_[i].has_printed) return false;
      steps += figures_[i].warp_instructions;
    }
    return steps <= options_.step_limit;
  }

  /// As commit() of each block of such a wave.
  void commit_wave(std::uint64_t first, std::uint64_t count) {
    for (const Sums& sums : sums_) {
      result_.counters += sums.counters;
      result_.shared_use = result_.shared_use.most(sums.shared_use);
    }
    if (!checker_) return add_figures(count);
    for_parts([&](unsigned part) {
      if (part == 0) add_findings(first, count);
      if (part == 1) add_accesses(count);
      if (part == std::min(2U, parts_ - 1)) add_figures(count);
    });
  }

  void add_findings(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (figures_[i].has_findings) checker_->add(std::move(outcomes_[i]->findings), /*alone=*/false);
      checker_->add_searched(first + i, outcomes_[i]->log);
    }
  }

  void add_accesses(std::uint64_t count) {
    if (!checker_) return;
    for (std::uint64_t i = 0; i < count; ++i) checker_->add_accesses(outcomes_[i]->log);
  }

  void add_figures(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) add(figures_[i]);
  }
  void add(const Figures& figures) {
    if (checker_) blocks_by_granules_.add(figures.stored_granules);
    working_blocks_.add(figures.warp_instructions);
    storing_blocks_.add(figures.stores);
  }

  /// Calls work(part) for each part of memory, at the same time.
  template <class Work>
  void for_parts(Work work) {
    for_threads(parts_, work);
  }
  template <class Work>
  void for_threads(unsigned count, Work work) {
    pool_.run([&](unsigned thread) {
      if (thread >= count) return;
      try {
        work(thread);
      } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
      }
    });
    if (out_of_memory_) throw std::bad_alloc();
  }

  MemoryPart part_of_memory(unsigned index) const {
    return checker_ ? checker_->part(index) : MemoryPart{index, parts_};
  }

  /// Adds the block's counters to the worker's sums.
  Figures take_figures(const Outcome& outcome, Sums& sums) const {
    Figures figures = figures_of(outcome);
    if (outcome.stop != Stop::none) return figures;
    if (checker_) checker_->add_parts(figures.parts, outcome.log);
    outcome.view.add_parts(figures.parts, part_of_memory(0));
    sums.counters += outcome.counters;
    sums.shared_use = sums.shared_use.most(outcome.shared_use);
    return figures;
  }
  static Figures figures_of(const Outcome& outcome) {
    return {.stop = outcome.stop,
            .parts = {},
            .has_findings = !outcome.findings.empty(),
            .has_printed = !outcome.printed.empty(),
            .warp_instructions = outcome.counters.warp_instructions,
            .stores = stores_of(outcome.counters),
            .stored_granules = outcome.stored_granules};
  }

  void run_block(std::uint64_t block, Outcome& outcome, BlockRunner& runner,
                 std::atomic<std::uint64_t>& first_fault) const {
    const GiveUp give_up(options_.stop, &first_fault, block);
    outcome.stop = Stop::abandoned;
    outcome.is_applied = false;
    if (give_up.abandon()) return;
    outcome.view.clear();
    runner.run(block, budget(), outcome.view, &give_up);
    take(outcome, runner);
    if (outcome.stop == Stop::fault) lower_to(first_fault, block);
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

  /// Every waiting block continues until it waits again or ends.
  void take_turns() {
    for (std::size_t i = 0; i < waiting_.size() && !ended_; ++i) {
      const GiveUp give_up(options_.stop, nullptr, waiting_[i].block);
      assert(waiting_[i].runner != nullptr && waiting_[i].spent <= spent_waiting_);
      spent_waiting_ -= waiting_[i].spent;
      const std::uint64_t left = budget() - std::min(budget(), waiting_[i].spent);
      take_turn(*waiting_[i].runner, [&](BlockRunner& runner) {
        runner.core().polls_in_vain = polls_in_vain_;
        runner.resume_turn(left, &give_up);
        polls_in_vain_ = runner.core().polls_in_vain;
      });
      finish(waiting_[i]);
    }
    std::erase_if(waiting_, [](const Resident& resident) { return resident.runner == nullptr; });
  }

  /// Ends the turn of a block that runs alone. If the block has ended, commits its outcome and frees its
  /// runner.
  void finish(Resident& resident) {
    BlockRunner& runner = *resident.runner;
    if (runner.core().stop == Stop::waits) {
      resident.spent = runner.core().executed();
      spent_waiting_ += resident.spent;
      return;
    }
    Outcome outcome(0);
    take(outcome, runner);
    free_.push_back(std::move(resident.runner));
    commit(resident.block, outcome, /*alone=*/true);
  }

  /// `alone`: the block ran directly on memory.
  void commit(std::uint64_t block, Outcome& outcome, bool alone) {
    if (outcome.stop == Stop::abandoned) {
      result_.stopped = true;
      ended_ = true;
      return;
    }
    if (checker_) {
      checker_->add(std::move(outcome.findings), alone);
      outcome.is_applied ? checker_->add_searched(block, outcome.log)
                         : checker_->add(block, outcome.log, &outcome.view);
    }
    if (!outcome.is_applied) outcome.view.commit(memory_);
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
    add(figures_of(outcome));
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

  void add_reads() {
    for (const auto* runners : {&runners_, &free_})
      for (const auto& runner : *runners) checker_->add_reads(runner->core().checker->unstored_reads());
  }

  void sum_up_sites() {
    SiteCounts sum(*launch_.program);
    for (const auto* runners : {&runners_, &free_}) {
      for (const auto& runner : *runners) sum += runner->sites();
    }
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
  unsigned parts_ = 1;  ///< of memory, to which as many workers apply what the blocks of a wave did
  std::unique_ptr<LaunchChecker> checker_;
  GlobalMemory& memory_;
  WorkerPool& pool_;
  const GridOptions& options_;
  std::uint64_t blocks_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;  ///< one per worker
  std::vector<std::unique_ptr<BlockRunner>> free_;     ///< for blocks that run alone
  std::vector<Resident> waiting_;    ///< blocks that run alone and have not ended, in block order
  std::uint64_t spent_waiting_ = 0;  ///< warp instructions of the blocks in `waiting_` so far
  std::uint64_t polls_in_vain_ = 0;  ///< Core::polls_in_vain, across blocks
  std::vector<std::optional<Outcome>> outcomes_;  ///< outcomes of the current wave
  std::vector<Figures> figures_;                  ///< by outcome; set if there are several parts
  std::vector<Sums> sums_;                        ///< by worker, of the current wave
  std::optional<LaunchRecorder> recorder_;
  std::optional<MemorySide> memory_side_;  ///< only on devices with caches
  std::uint64_t l1_lines_ = 0, l1_in_flight_sectors_ = 0;
  WorkingBlocks working_blocks_, storing_blocks_, blocks_by_granules_;
  GridResult result_;
  bool ended_ = false;
  std::atomic<bool> out_of_memory_ = false;
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
