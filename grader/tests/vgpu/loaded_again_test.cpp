// Rows of words that several threads load, which wait in the runs of a page: races with all readers are
// found.
#include <map>
#include <random>
#include <string>
#include <vector>

#include "vgpu/checks.hpp"
#include "vgpu/races/spaced_runs.hpp"

namespace loaded_again_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::AccessKey;
using vgpu::Fault;
using vgpu::SpacedRun;
using vgpu::SpacedRuns;

namespace {

constexpr std::uint32_t kThreads = 64, kWarp = 32, kBegin = 1000;  // the words are in two pages

/// Each thread t of block 0 loads the words t, t + 1 and t + 2. Then one thread of a block stores to a word,
/// after a barrier or without.
std::string text() {
  return kernel_text(
      ".param .u64 a, .param .u32 barrier, .param .u32 block, .param .u32 thread, .param .u32 word", R"(
    .reg .pred %p<5>; .reg .b32 %r<12>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r3, [barrier]; ld.param.u32 %r4, [block];
    ld.param.u32 %r5, [thread]; ld.param.u32 %r6, [word];
    setp.ne.u32 %p1, %r2, 0; @%p1 bra LOADED;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
    ld.global.u32 %r7, [%rd2];
    ld.global.u32 %r8, [%rd2+4];
    ld.global.u32 %r9, [%rd2+8];
    LOADED: setp.ne.u32 %p2, %r3, 0;
    @%p2 bar.sync 0;
    setp.eq.u32 %p3, %r1, %r5; setp.eq.and.u32 %p3, %r2, %r4, %p3;
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd3, %rd1, %rd3;
    @%p3 st.global.u32 [%rd3], 1;
    ret;
)");
}

std::vector<Fault> findings(std::uint32_t block, std::uint32_t thread, std::uint32_t word, bool barrier) {
  Gpu gpu(text(), {.cpu_threads = 1, .checks = test::kAllChecks});
  const auto a = gpu.zeros<std::int32_t>(kBegin + kThreads + 8) + kBegin * sizeof(std::int32_t);
  return gpu.launch("k", {2, 1, 1}, {kThreads, 1, 1}, pack(a, std::uint32_t{barrier}, block, thread, word))
      .findings;
}

bool loads(std::uint32_t thread, std::uint32_t word) { return thread <= word && word <= thread + 2; }

/// The first thread that loads the word: the first warp runs first, one load after the other.
std::uint32_t first_reader(std::uint32_t word) {
  const std::uint32_t last = kWarp - 1;
  if (word > last && word <= last + 2) return last;
  return std::min(word, kThreads - 1);
}

}  // namespace

TEST_CASE(
    "a store races with one of several threads that have loaded its word, if possible of another warp") {
  for (const std::uint32_t thread : {40U, 63U}) {
    for (std::uint32_t word = 0; word < kThreads + 3; ++word) {
      INFO(thread << ' ' << word);
      bool races = false, has_far_reader = false;
      for (std::uint32_t reader = 0; reader < kThreads; ++reader) {
        if (!loads(reader, word) || reader == thread) continue;
        races = true;
        has_far_reader |= reader / kWarp != thread / kWarp;
      }
      CHECK(findings(0, thread, word, true).empty());
      const auto found = findings(0, thread, word, false);
      REQUIRE(found.size() == (races ? 1 : 0));
      if (!races) continue;
      const std::uint32_t reader = found[0].other->thread.x;
      CHECK(loads(reader, word));
      CHECK(reader != thread);
      CHECK((reader / kWarp != thread / kWarp) == has_far_reader);
    }
  }
}

TEST_CASE("a store races with the first reader of another block, also after a barrier") {
  for (const bool barrier : {false, true})
    for (std::uint32_t word = 0; word < kThreads + 3; ++word) {
      INFO(word << ' ' << barrier);
      const auto found = findings(1, 5, word, barrier);
      REQUIRE(found.size() == (word < kThreads + 2 ? 1 : 0));
      if (!found.empty()) CHECK(found[0].other->thread.x == first_reader(word));
    }
}

TEST_CASE("the parts of a row are those of the runs, and only certainly other threads count as others") {
  std::mt19937 random(1);
  const auto below = [&](unsigned end) { return static_cast<std::uint32_t>(random() % end); };
  unsigned of_runs = 0, of_none = 0, others = 0, unknown = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    SpacedRuns runs;
    runs.clear();
    std::map<std::uint32_t, std::int32_t> readers;  // keys by granule
    const auto row_at = [&](std::uint32_t at, std::uint32_t granules) {
      const vgpu::Spacing spacing{static_cast<std::uint8_t>(below(6) == 0)};
      return SpacedRun{{at, granules << spacing.shift, spacing}, AccessKey(1, below(64), 0).bits()};
    };
    for (std::uint32_t at = 0; at < 100; at += 4 + below(8)) {
      const SpacedRun run = row_at(at, 1U << below(4));
      if (!runs.add(run)) continue;
      for (std::uint32_t i = 0; i < run.granules; ++i) readers[run.at + i] = run.key_of(i);
    }
    const SpacedRun row = row_at(below(100), 1 + below(32));
    for (std::uint32_t done = 0, here = 0; done < row.granules; done += here) {
      const auto [run, granules] = runs.part_of(row, done);
      here = granules;
      REQUIRE(here > 0);
      REQUIRE(done + here <= row.granules);
      if (here % row.spacing.element() != 0) break;  // a run ends within an element
      const SpacedRun part = row.part(done, here);
      bool are_others = true;
      for (std::uint32_t i = 0; i < here; ++i) {
        REQUIRE(part.key_of(i) == row.key_of(done + i));
        const auto reader = readers.find(part.at + i);
        REQUIRE((reader != readers.end()) == (run != nullptr));
        if (run == nullptr) continue;
        REQUIRE(run->key_of(part.at + i - run->at) == reader->second);
        are_others &= reader->second != part.key_of(i);
      }
      ++(run == nullptr ? of_none : of_runs);
      if (run == nullptr) continue;
      const bool are_known_others = run->has_other_threads_than(part);
      CHECK_FALSE((are_known_others && !are_others));
      others += are_known_others ? 1 : 0;
      unknown += are_others && !are_known_others ? 1 : 0;
    }
  }
  CHECK(of_none > 500);
  CHECK(of_runs > 500);
  CHECK(others > 500);
  CHECK(unknown < others / 4);
}

}  // namespace loaded_again_test
