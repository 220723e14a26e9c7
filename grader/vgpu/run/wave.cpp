#include "vgpu/run/wave.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <new>
#include <utility>

#include "vgpu/run/shares.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kWaveBytes = std::size_t{1} << 28U;      // limit for the views of a wave together
constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 24U;  // limit for the view of one block

void lower_to(std::atomic<std::uint64_t>& value, std::uint64_t candidate) {
  // std::atomic has no minimum operation in C++20.
  std::uint64_t current = value.load();
  while (candidate < current && !value.compare_exchange_weak(current, candidate)) {
  }
}

}  // namespace

BlockFigures BlockFigures::of(const BlockOutcome& outcome) {
  const BlockLog& log = outcome.log;
  const bool needs_turn =
      !outcome.findings.empty() || !outcome.printed.empty() || !log.fetched.empty() || !log.unwritten.empty();
  return {.stop = outcome.stop,
          .needs_turn = needs_turn,
          .parts = {},
          .warp_instructions = outcome.counters.warp_instructions,
          .loaded_bytes = outcome.loaded_bytes(),
          .stores = outcome.stores(),
          .stored_granules = outcome.stored_granules};
}

unsigned Wave::parts(std::uint64_t workers) {
  return std::bit_floor(std::clamp(static_cast<unsigned>(workers), 1U, MemoryPart::kMost));
}

Wave::Wave(const LaunchContext& launch, GlobalMemory& memory, WorkerPool& pool, const GridOptions& options,
           std::uint64_t workers, LaunchChecker* checker)
    : launch_(launch),
      memory_(memory),
      pool_(pool),
      options_(options),
      checker_(checker),
      parts_(parts(workers)),
      runners_(workers),
      outcomes_(workers == 0 ? 0 : std::min(launch.grid.count(), kWaveBlocks)),
      figures_(outcomes_.size()),
      sums_(workers) {
  allocate();
}

/// With several workers, each allocates its share, and touches the memory first.
void Wave::allocate() {
  for_threads(runners_.size(), [this](std::uint64_t worker) {
    runners_[worker] = std::make_unique<BlockRunner>(launch_, memory_, options_.records, options_.terms);
    for (std::uint64_t i = worker; i < outcomes_.size(); i += runners_.size())
      outcomes_[i].emplace(std::min(kWaveBytes / outcomes_.size(), kMaxBlockBytes));
  });
}

void Wave::release() {
  if (parts_ == 1) return;
  for_threads(parts_, [this](std::uint64_t part) {
    if (checker_ != nullptr) checker_->release(part);
    for (std::uint64_t i = part; i < outcomes_.size(); i += parts_) outcomes_[i].reset();
    for (std::uint64_t i = part; i < runners_.size(); i += parts_) runners_[i].reset();
  });
}

void Wave::run(std::uint64_t first, std::uint64_t count, std::uint64_t budget) {
  assert(count <= outcomes_.size());
  first_ = first;
  count_ = count;
  are_marked_ = false;
  const bool kept = std::exchange(keeps_counts_, false);
  Shares shares(count, runners_.size());
  // Only blocks after the first fault are given up, so that the fault reported does not depend on the
  // workers.
  std::atomic<std::uint64_t> first_fault{launch_.grid.count()};
  for_threads(runners_.size(), [&](std::uint64_t worker) {
    sums_[worker].settle(kept);
    for (auto range = shares.take(); !range.empty(); range = shares.take()) {
      for (std::uint64_t i = range.first; i < range.end; ++i) {
        run_block(i, budget, *runners_[worker], first_fault);
        if (parts_ > 1) take_figures(i, sums_[worker]);
      }
    }
  });
}

void Wave::run_block(std::uint64_t index, std::uint64_t budget, BlockRunner& runner,
                     std::atomic<std::uint64_t>& first_fault) {
  BlockOutcome& outcome = *outcomes_[index];
  const std::uint64_t block = first_ + index;
  const GiveUp give_up(options_.stop, &first_fault, block);
  outcome.stop = Stop::abandoned;
  if (give_up.abandon()) return;
  outcome.view.clear();
  runner.run(block, budget, outcome.view, &give_up);
  outcome.take(runner);
  if (outcome.stop == Stop::fault) lower_to(first_fault, block);
}

void Wave::take_figures(std::uint64_t index, Sums& sums) {
  const BlockOutcome& outcome = *outcomes_[index];
  BlockFigures& figures = figures_[index] = BlockFigures::of(outcome);
  if (outcome.stop != Stop::none) return;
  if (checker_ != nullptr) checker_->add_parts(figures.parts, outcome.log);
  outcome.view.add_parts(figures.parts, part_of_memory(0));
  sums.counters += outcome.counters;
  sums.shared_use = sums.shared_use.most(outcome.shared_use);
}

std::uint64_t Wave::apply() {
  constexpr std::uint64_t kFewBlocks = 16;  // to wake the workers would cost more
  const std::uint64_t count = parts_ > 1 ? blocks_to_apply() : 0;
  if (count < kFewBlocks) return 0;
  are_marked_ =
      count == count_ && std::none_of(figures_.begin(), figures_.begin() + static_cast<std::ptrdiff_t>(count),
                                      [](const BlockFigures& figures) { return figures.needs_turn; });
  for_threads(parts_, [&](std::uint64_t part) { apply_part(static_cast<unsigned>(part), count); });
  if (are_marked_ && checker_ != nullptr) checker_->end_marks();
  return count;
}

std::uint64_t Wave::blocks_to_apply() const {
  const auto first = figures_.begin();
  const auto other = std::find_if(first, first + static_cast<std::ptrdiff_t>(count_),
                                  [](const BlockFigures& figures) { return figures.stop != Stop::none; });
  return static_cast<std::uint64_t>(other - first);
}

/// Other workers have written most of what this one applies: it is fetched from their caches before its turn,
/// pointers before what they point to.
void Wave::apply_part(unsigned part, std::uint64_t count) {
  constexpr std::size_t kListsAhead = 4, kPagesAhead = 2;
  std::array<std::uint16_t, kWaveBlocks> blocks;
  std::size_t number = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    if (figures_[i].parts.has(part)) blocks[number++] = static_cast<std::uint16_t>(i);
  for (std::size_t next = 0; next < number; ++next) {
    if (next + 2 * kListsAhead < number) outcomes_[blocks[next + 2 * kListsAhead]]->prefetch();
    if (next + kListsAhead < number) outcomes_[blocks[next + kListsAhead]]->prefetch_lists();
    if (next + kPagesAhead < number) outcomes_[blocks[next + kPagesAhead]]->view.prefetch_page();
    const std::uint64_t i = blocks[next];
    const BlockOutcome& outcome = *outcomes_[i];
    if (checker_ != nullptr) checker_->search(part, first_ + i, outcome.log, &outcome.view);
    if (checker_ != nullptr && are_marked_) checker_->mark(part, outcome.log);
    outcome.view.commit(memory_, part_of_memory(part));
  }
  if (checker_ != nullptr && are_marked_) checker_->end_part(part);
}

void Wave::Sums::settle(bool keeps_counts) {
  if (keeps_counts) {
    kept_counters += counters;
    kept_shared_use = kept_shared_use.most(shared_use);
  }
  counters = {};
  shared_use = {};
}

void Wave::add_counts_to(Counters& counters, SharedUse& shared_use) {
  for (Sums& sums : sums_) {
    sums.settle(keeps_counts_);
    counters += sums.kept_counters;
    shared_use = shared_use.most(sums.kept_shared_use);
  }
}

MemoryPart Wave::part_of_memory(unsigned index) const {
  return checker_ != nullptr ? checker_->part(index) : MemoryPart{index, parts_};
}

/// Calls work(thread) for each number below `count`, at most the number of workers, at the same time.
template <class Work>
void Wave::for_threads(std::uint64_t count, Work work) {
  const auto work_if_asked = [&](unsigned thread) {
    if (thread >= count) return;
    try {
      work(std::uint64_t{thread});
    } catch (const std::bad_alloc&) {
      // An exception must not leave the function of a worker's thread.
      out_of_memory_ = true;
    }
  };
  count > 1 ? pool_.run(work_if_asked) : work_if_asked(0);
  if (out_of_memory_) throw std::bad_alloc();
}

}  // namespace vgpu::exec
