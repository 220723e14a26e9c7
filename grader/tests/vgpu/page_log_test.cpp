// The log of a page names the thread of every access, whatever the order in which threads follow one another,
// and has one run for a regular order.
#include "vgpu/shadow/page_log.hpp"

#include <array>
#include <functional>
#include <map>
#include <random>

#include "catch.hpp"
#include "vgpu/races/last_accesses.hpp"

namespace page_log_test {

using vgpu::AccessKey;
using vgpu::AccessRun;
using vgpu::BlockLog;
using vgpu::GlobalShadow;
using vgpu::LastAccesses;
using vgpu::PageLog;

namespace {

constexpr unsigned kGranules = 512, kThreads = AccessKey::kThreadMask + 1, kClock = 3;
constexpr std::uint32_t kGranuleBytes = 4;
using Threads = std::map<std::size_t, unsigned>;  ///< by granule

BlockLog log_of(GlobalShadow::Page& page, std::int32_t flags = AccessRun::kFlags) {
  BlockLog log;
  PageLog(log, page, /*is_store=*/true, flags, AccessKey::first_of(kClock), kGranuleBytes).write();
  return log;
}

/// The stores of lone lanes.
BlockLog log_of_lanes(const Threads& threads) {
  GlobalShadow::Page page;
  for (const auto& [granule, thread] : threads) {
    page.mark(granule, 1, true);
    *page.keys(granule, 1).write = AccessKey(kClock, thread, 0).bits();
  }
  return log_of(page);
}

/// The same in records, as far as these can hold them.
BlockLog log_of_recorded_lanes(const Threads& threads) {
  GlobalShadow::Page page;
  for (const auto& [granule, thread] : threads) {
    const std::int32_t key = AccessKey(kClock, thread, 0).bits();
    page.mark(granule, 1, true);
    if (!page.records.note_lane_store(granule, key, AccessKey::first_of(kClock), 0, false))
      *page.keys(granule, 1).write = key;
  }
  return log_of(page);
}

/// The stores of eight lanes side by side.
BlockLog log_of_groups(const Threads& first_threads) {
  GlobalShadow::Page page;
  for (const auto& [granule, thread] : first_threads) {
    page.mark_record(granule, true);
    REQUIRE(page.records.note_store(granule / vgpu::kGroup, AccessKey(kClock, thread, 0).bits(),
                                    AccessKey::first_of(kClock), 0, 0, 0));
  }
  return log_of(page);
}

/// Stores of groups of lanes side by side, each of which changes the bytes of all lanes with an odd number.
BlockLog log_of_odd_changes(std::int32_t flags) {
  GlobalShadow::Page page;
  for (unsigned granule = 0; granule < kGranules; granule += vgpu::kGroup) {
    page.mark_record(granule, true);
    REQUIRE(page.records.note_store(granule / vgpu::kGroup, AccessKey(kClock, granule, 0).bits(),
                                    AccessKey::first_of(kClock), 0, 0, 0b10101010));
  }
  return log_of(page, flags);
}

Threads in_runs(const BlockLog& log) {
  Threads threads;
  for (const AccessRun& run : log.runs)
    for (std::uint32_t i = 0; i < run.granules; ++i)
      threads[run.address_of(i, kGranuleBytes) / kGranuleBytes] = run.thread_of(i);
  return threads;
}

/// As in_runs(), from the table that the logs of a launch fill.
Threads in_table(const BlockLog& log) {
  LastAccesses table;
  Threads threads;
  for (const AccessRun& run : log.runs) {
    const std::size_t at = run.address / kGranuleBytes;
    table.put(at, {{1, AccessKey(0, run.thread, 0).bits(), 0},
                   nullptr,
                   nullptr,
                   run.threads,
                   run.spacing,
                   0,
                   run.granules});
    for (std::uint32_t i = 0; i < run.granules; ++i) {
      const std::size_t granule = at + run.spacing.place_of(i);
      threads[granule] = AccessKey(table.at(granule).key).thread();
    }
  }
  return threads;
}

Threads stored(const std::function<unsigned(unsigned)>& thread_of) {
  Threads threads;
  for (unsigned granule = 0; granule < kGranules; ++granule) threads[granule] = thread_of(granule);
  return threads;
}

}  // namespace

TEST_CASE("threads that follow one another regularly are one run") {
  const std::function<unsigned(unsigned)> orders[] = {
      [](unsigned) { return 7U; },                     // one thread
      [](unsigned i) { return i; },                    // a row
      [](unsigned i) { return i / 4; },                // four words of each thread
      [](unsigned i) { return 32 + i % 16; },          // tile after tile
      [](unsigned i) { return 5 + i % 8 * 32; },       // columns of a transposed tile
      [](unsigned i) { return 5 + i % 4 * 32; },       // with fewer rows than a group has words
      [](unsigned i) { return i % 32 / 2 * 33 + 1; },  // pairs of words
  };
  for (const auto& order : orders) {
    const Threads threads = stored(order);
    for (const BlockLog& log : {log_of_lanes(threads), log_of_recorded_lanes(threads)}) {
      CHECK(log.runs.size() == 1);
      CHECK(in_runs(log) == threads);
      CHECK(in_table(log) == threads);
    }
  }
}

TEST_CASE("threads at a constant stride are one run") {
  // Words of each thread and from thread to thread, the threads' distance, and their number until they
  // repeat.
  const unsigned orders[][4] = {{1, 2, 1, 1024}, {1, 3, 1, 1024}, {1, 8, 4, 1024},  {1, 40, 1, 1024},
                                {2, 6, 1, 1024}, {4, 5, 3, 1024}, {4, 24, 2, 1024}, {1, 2, 1, 16},
                                {1, 9, 32, 8},   {2, 4, 1, 32},   {1, 2, 0, 1024}};
  for (const auto& [element, step, thread_step, period] : orders) {
    INFO(element << ' ' << step << ' ' << thread_step << ' ' << period);
    Threads threads;
    for (unsigned i = 0, at = 0; at + element <= kGranules; ++i, at += step)
      for (unsigned j = 0; j < element; ++j) threads[at + j] = 5 + i % period * thread_step;
    for (const bool in_records : {false, true}) {
      const BlockLog log = in_records ? log_of_recorded_lanes(threads) : log_of_lanes(threads);
      // A record of single lanes holds no second granule of a thread.
      if (!in_records || element == 1) CHECK(log.runs.size() == 1);
      CHECK(in_runs(log) == threads);
      CHECK(in_table(log) == threads);
    }
  }
}

TEST_CASE("groups of lanes side by side are one run, also tile after tile") {
  Threads groups, threads;
  for (unsigned granule = 0; granule < kGranules; ++granule) {
    threads[granule] = 64 + granule % 16;
    if (granule % vgpu::kGroup == 0) groups[granule] = threads[granule];
  }
  const BlockLog log = log_of_groups(groups);
  CHECK(log.runs.size() == 1);
  CHECK(in_runs(log) == threads);
  CHECK(in_table(log) == threads);
}

TEST_CASE("the rows of a tile are one run, also tile after tile") {
  constexpr unsigned kPitch = 64, kTileRows = 4;
  for (const unsigned width : {8U, 16U, 32U}) {
    INFO(width);
    Threads groups, threads;
    for (unsigned row = 0; row < kGranules / kPitch; ++row)
      for (unsigned i = 0; i < width; ++i) {
        const unsigned granule = row * kPitch + i, thread = row % kTileRows * width + i;
        threads[granule] = thread;
        if (i % vgpu::kGroup == 0) groups[granule] = thread;
      }
    const BlockLog log = log_of_groups(groups);
    CHECK(log.runs.size() == 1);
    CHECK(in_runs(log) == threads);
    CHECK(in_table(log) == threads);
  }
}

TEST_CASE("stores that change bytes and others are one run unless the log has the flag") {
  CHECK(log_of_odd_changes(AccessRun::kFlags).runs.size() == kGranules);
  const BlockLog log = log_of_odd_changes(AccessRun::kFlags & ~AccessKey::kChanged);
  REQUIRE(log.runs.size() == 1);
  CHECK(log.runs[0].flags == 0);
  CHECK(in_runs(log) == stored([](unsigned granule) { return granule; }));
}

TEST_CASE("the table of last accesses keeps which granules of a run were changed") {
  const AccessRun run = log_of_odd_changes(0).runs.at(0);
  std::array<bool, kGranules> changed{};
  for (unsigned i = 0; i < kGranules; ++i) changed[i] = i % 5 == 0;
  constexpr std::uint32_t kSkipped = 3;  // so that parts of groups are put as well
  LastAccesses table;
  table.put(kSkipped, {{1, AccessKey(0, run.thread, 0).bits(), 0},
                       nullptr,
                       changed.data(),
                       run.threads,
                       run.spacing,
                       kSkipped,
                       run.granules - kSkipped});
  for (unsigned i = kSkipped; i < kGranules; ++i) {
    INFO(i);
    const AccessKey key(table.at(i).key);
    CHECK(key.thread() == i);
    CHECK(key.has(AccessKey::kChanged) == changed[i - kSkipped]);
  }
}

TEST_CASE("any order of threads is kept") {
  std::mt19937 random(1);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  for (unsigned round = 0; round < 500; ++round) {
    INFO(round);
    Threads threads;
    for (unsigned granule = 0; granule < kGranules;) {
      // A stretch of a regular order that begins and ends anywhere.
      const unsigned first = below(100), step = below(4) * (1 + below(40)), period = 1U << below(6);
      const unsigned shift = below(4), end = std::min(granule + 1 + below(70), kGranules), skipped = below(9);
      for (unsigned i = skipped; granule < end; ++granule, ++i)
        threads[granule] = (first + step * ((i % period) >> shift)) % kThreads;
      granule += below(3);
    }
    for (const BlockLog& log : {log_of_lanes(threads), log_of_recorded_lanes(threads)}) {
      REQUIRE((in_runs(log) == threads));
      REQUIRE((in_table(log) == threads));
    }
  }
}

TEST_CASE("any order of threads at strides is kept") {
  std::mt19937 random(1);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  for (unsigned round = 0; round < 500; ++round) {
    INFO(round);
    Threads threads;
    for (unsigned stretch = 0; stretch < 6; ++stretch) {
      // Stretches can fill the gaps of earlier ones, and hide parts of them.
      const unsigned element = 1 + below(5), step = element + below(11), count = 1 + below(40);
      const unsigned first = below(100), thread_step = below(4) * (1 + below(40)), period = 1U << below(6);
      const unsigned start = below(kGranules);
      for (unsigned i = 0; i < count * element; ++i) {
        const unsigned granule = start + i / element * step + i % element;
        if (granule < kGranules) threads[granule] = (first + thread_step * (i / element % period)) % kThreads;
      }
    }
    for (const BlockLog& log : {log_of_lanes(threads), log_of_recorded_lanes(threads)}) {
      REQUIRE((in_runs(log) == threads));
      REQUIRE((in_table(log) == threads));
    }
  }
}

TEST_CASE("any order of groups of lanes is kept") {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 200; ++round) {
    INFO(round);
    Threads groups, threads;
    for (unsigned granule = 0; granule < kGranules; granule += vgpu::kGroup) {
      const auto first = static_cast<unsigned>(random() % 4) * vgpu::kGroup;
      groups[granule] = first;
      for (unsigned i = 0; i < vgpu::kGroup; ++i) threads[granule + i] = first + i;
    }
    const BlockLog log = log_of_groups(groups);
    REQUIRE((in_runs(log) == threads));
    REQUIRE((in_table(log) == threads));
  }
}

}  // namespace page_log_test
