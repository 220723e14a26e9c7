// Accesses at a constant stride that are kept as runs: the runs have what each lane accessed, and races with
// them are found.
#include "vgpu/races/spaced_runs.hpp"

#include <map>
#include <random>

#include "vgpu/checks.hpp"
#include "vgpu/shadow/page_log.hpp"

namespace spaced_runs_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::AccessKey;
using vgpu::SpacedRun;
using vgpu::SpacedRuns;

namespace {

using Accesses = std::map<std::pair<bool, std::uint32_t>, std::int32_t>;  ///< is a store, granule: its key

/// Adds a run's accesses. False if two threads access a granule, or a thread does so after it has stored.
bool add(Accesses& to, const SpacedRun& run) {
  for (std::uint32_t i = 0; i < run.granules; ++i) {
    const std::uint32_t granule = run.place_of(i);
    const bool is_new = to.emplace(std::pair(run.is_store, granule), run.key_of(i)).second;
    const auto load = to.find({false, granule}), store = to.find({true, granule});
    const bool are_both = load != to.end() && store != to.end();
    if (!is_new || (are_both &&
                    (!run.is_store || AccessKey(load->second).thread() != AccessKey(store->second).thread())))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("runs at a stride have the accesses that were added, and refuse those of two threads") {
  std::mt19937 random(1);
  const auto below = [&](unsigned end) { return static_cast<std::uint32_t>(random() % end); };
  unsigned added = 0, refused = 0, own_stores = 0, started_over = 0, of_one_thread = 0, at_steps = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    SpacedRuns runs;
    runs.clear();
    Accesses expected;
    std::uint32_t next = 0, thread = 0;
    const auto gap = static_cast<std::uint16_t>(below(4));
    for (unsigned step = 0; step < 12; ++step) {
      const vgpu::Spacing spacing{static_cast<std::uint8_t>(below(8) == 0),
                                  below(8) == 0 ? std::uint16_t{7} : gap};
      SpacedRun run{{next, (below(2) == 0 ? 4 : 2 + below(6)) << spacing.shift, spacing},
                    AccessKey(1 + below(2), thread, 0).bits(),
                    static_cast<vgpu::SiteIndex>(below(2)),
                    below(3) == 0};
      run.step = static_cast<std::uint16_t>(below(4) == 0 ? 2 * below(2) : 1);
      if (below(4) == 0) run.granules = run.spacing.element();
      Accesses with = expected;
      const bool is_allowed = add(with, run);
      if (runs.add(run)) {
        REQUIRE(is_allowed);
        own_stores += with.size() - expected.size() == run.granules && run.is_store &&
                              expected.contains({false, run.at})
                          ? 1
                          : 0;
        expected = with;
        ++added;
      } else {
        ++refused;
      }
      Accesses kept;
      for (const SpacedRun& one : runs.runs())
        for (std::uint32_t i = 0; i < one.granules; ++i)
          kept[{one.is_store, one.place_of(i)}] = one.key_of(i);
      REQUIRE(kept == expected);
      for (const SpacedRun& one : runs.runs()) {
        started_over += one.threads().has_period() ? 1 : 0;
        of_one_thread += !one.has_one_element() && one.threads().has_one_thread() ? 1 : 0;
        at_steps += !one.has_one_element() && one.step > 1 ? 1 : 0;
      }
      // Mostly, the next access continues this one, perhaps from the first thread on, or is of the same
      // threads.
      if (below(2) == 0) {
        next = run.place_of(run.granules);
        if (below(3) != 0) thread += (run.granules >> spacing.shift) * run.step;
      } else if (below(2) == 0) {
        next = below(40);
      }
    }
  }
  CHECK(added > 1000);
  CHECK(refused > 1000);
  CHECK(own_stores > 20);
  CHECK(started_over > 20);
  CHECK(of_one_thread > 20);
  CHECK(at_steps > 20);
}

TEST_CASE("runs are visited by place for a log, and are continued and refuse other threads as before") {
  constexpr std::uint32_t kGranules = 8;
  const auto row = [](std::uint32_t at, unsigned thread) {
    return SpacedRun{{at, kGranules}, AccessKey(1, thread, 0).bits()};
  };
  SpacedRuns runs;
  runs.clear();
  REQUIRE(runs.add(row(100, 0)));
  REQUIRE(runs.add(row(50, 32)));
  std::vector<std::uint32_t> places;
  runs.for_sorted([&](const SpacedRun& run) { places.push_back(run.at); });
  CHECK(places == std::vector<std::uint32_t>{50, 100});
  CHECK_FALSE(runs.add(row(104, 64)));
  CHECK_FALSE(runs.add(row(54, 64)));
  REQUIRE(runs.add(row(50 + kGranules, 32 + kGranules)));
  REQUIRE(runs.runs().size() == 2);
  CHECK(runs.runs()[1].granules == 2 * kGranules);
}

TEST_CASE(
    "a page whose accesses are rows has them in its log, in one run, and in records once it needs these") {
  constexpr unsigned kRow = 32, kRows = 8, kClock = 3;
  constexpr std::uint32_t kGranuleBytes = 4;
  const std::int32_t oldest = AccessKey::first_of(kClock);
  vgpu::GlobalShadow::Page page;
  for (unsigned row = 0; row < kRows; ++row)
    for (const bool is_store : {false, true})
      REQUIRE(page.add_spaced({{row * kRow, kRow},
                               AccessKey(kClock, 64, 0).bits(),
                               static_cast<vgpu::SiteIndex>(is_store ? 9 : row % 2),
                               is_store}));
  const auto check_log = [&](bool is_store, const auto& write) {
    vgpu::BlockLog log;
    vgpu::PageLog page_log(log, page, is_store, vgpu::AccessRun::kFlags, oldest, kGranuleBytes);
    write(page_log);
    REQUIRE(log.runs.size() == 1);
    const vgpu::AccessRun& run = log.runs[0];
    REQUIRE(run.granules == kRow * kRows);
    for (unsigned i = 0; i < run.granules; ++i) {
      REQUIRE(run.thread_of(i) == 64 + i % kRow);
      REQUIRE(log.site_of(run, i) == (is_store ? 9 : i / kRow % 2));
    }
  };
  for (const bool is_store : {false, true}) check_log(is_store, [](vgpu::PageLog& log) { log.write_runs(); });
  page.record_spaced();
  for (const bool is_store : {false, true}) check_log(is_store, [](vgpu::PageLog& log) { log.write(); });
  CHECK_FALSE(page.records.is_split(0));
}

TEST_CASE("a page in which threads load rows of their own has a run per thread in its log, with all sites") {
  constexpr unsigned kRow = 200, kThread = 5, kClock = 3;
  constexpr std::uint32_t kGranuleBytes = 4;
  constexpr std::array<vgpu::SiteIndex, 2> kSites{3, 4};
  constexpr bool kIsStore = false;
  vgpu::GlobalShadow::Page page;
  for (unsigned at = 0; at < kRow; at += kSites.size())
    for (const unsigned row : {0U, 1U}) {
      SpacedRun run{{row * kRow + at, kSites.size()}, AccessKey(kClock, kThread + row, 0).bits(), kSites[0]};
      run.step = 0;
      run.has_sites = true;
      REQUIRE(page.add_spaced(run, kSites.data()));
    }
  const auto check_log = [&](const auto& write) {
    vgpu::BlockLog log;
    vgpu::PageLog page_log(log, page, kIsStore, vgpu::AccessRun::kFlags, AccessKey::first_of(kClock),
                           kGranuleBytes);
    write(page_log);
    REQUIRE(log.runs.size() == 2);
    for (const vgpu::AccessRun& run : log.runs) {
      REQUIRE(run.granules == kRow);
      const auto row = static_cast<unsigned>(&run - log.runs.data());
      for (unsigned i = 0; i < run.granules; ++i) {
        REQUIRE(run.thread_of(i) == kThread + row);
        REQUIRE(log.site_of(run, i) == kSites[i % 2]);
      }
    }
  };
  check_log([](vgpu::PageLog& log) { log.write_runs(); });
  page.record_spaced();
  check_log([](vgpu::PageLog& log) { log.write(); });
}

namespace {

constexpr std::uint32_t kThreads = 64, kMembers = 3;

/// Each thread accesses the three words of a structure, first + block * block_step + thread, with an
/// instruction each: it stores if `is_store`. Two rounds, since the pattern of addresses is learned in the
/// first one, at structures far away.
std::string members_text(bool is_store) {
  std::string members;
  for (std::uint32_t i = 0; i < kMembers; ++i) {
    const std::string at = "[%rd3+" + std::to_string(4 * i) + "]";
    members +=
        is_store ? "st.global.u32 " + at + ", %r6;" : "ld.global.u32 %r7, " + at + "; add.u32 %r8, %r8, %r7;";
  }
  return kernel_text(".param .u64 out, .param .u32 block_step, .param .u32 then", R"(
    .reg .pred %p1; .reg .b32 %r<12>; .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r8, 0;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r3, [block_step]; ld.param.u32 %r4, [then];
    mad.lo.u32 %r5, %r2, 64, 600; add.u32 %r5, %r5, %r1; mov.u32 %r9, 0;
    ROUND:
    mad.lo.u32 %r6, %r9, 100, %r1; mad.lo.u32 %r6, %r2, 1000, %r6;
    mul.wide.u32 %rd2, %r5, 12; add.u64 %rd3, %rd1, %rd2;
)" + members + R"(
    mad.lo.u32 %r5, %r2, %r3, %r1; add.u32 %r9, %r9, 1;
    setp.lt.u32 %p1, %r9, 3; @%p1 bra ROUND;
    setp.eq.u32 %p1, %r4, 0; @%p1 bra END;
    // The next thread's second member, without a barrier.
    ld.global.u32 %r7, [%rd3+16]; add.u32 %r8, %r8, %r7;
    setp.ne.u32 %p1, %r8, 1; @%p1 bra END; st.global.u32 [%rd1], %r8;
    END: ret;
)");
}

std::vector<std::string> findings(bool is_store, std::uint32_t block_step, bool then, unsigned cpu_threads) {
  Gpu gpu(members_text(is_store), {.cpu_threads = cpu_threads, .checks = test::kAllChecks});
  const auto out = gpu.zeros<std::int32_t>(test::kCheckWords);
  std::vector<std::string> found;
  for (const auto& finding :
       gpu.launch("k", {6, 1, 1}, {kThreads, 1, 1}, pack(out, block_step, std::uint32_t{then})).findings)
    found.push_back(test::described(finding) + " at " + std::to_string((finding.address - out) / 4));
  return found;
}

}  // namespace

TEST_CASE("members of structures that two blocks store race, the lowest address first") {
  constexpr bool kStores = true;
  CHECK(findings(kStores, kThreads, false, 1).empty());
  CHECK(findings(!kStores, kThreads - 1, false, 1).empty());
  const auto found = findings(kStores, kThreads - 1, false, 1);
  // The last structure of each block is the next one's first.
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], testing::contains(" x" + std::to_string(5 * kMembers)));
  CHECK_THAT(found[0], testing::contains(" at " + std::to_string((kThreads - 1) * kMembers)));
  for (const unsigned cpu_threads : {2U, 5U})
    CHECK(findings(kStores, kThreads - 1, false, cpu_threads) == found);
}

TEST_CASE("a load of what another thread of the block stored at a stride races") {
  constexpr bool kStores = true, kThen = true;
  const auto found = findings(kStores, kThreads, kThen, 1);
  CHECK_FALSE(found.empty());
  CHECK(findings(!kStores, kThreads, kThen, 1).empty());
  for (const unsigned cpu_threads : {2U, 5U}) CHECK(findings(kStores, kThreads, kThen, cpu_threads) == found);
}

}  // namespace spaced_runs_test
