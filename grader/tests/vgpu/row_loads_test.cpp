// Loads along rows, whose record waits: races with them are found wherever the other access comes.
#include "vgpu/check/row_loads.hpp"

#include <optional>
#include <string>
#include <vector>

#include "vgpu/checks.hpp"

namespace row_loads_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Fault;
using vgpu::exec::kFullMask;
using vgpu::exec::kWarpLanes;
using vgpu::exec::Memo;
using vgpu::exec::RowShape;

namespace {

/// A row can reach into two pages, but no page has rows of two warps: one warp's loads do not end the wait of
/// the other's.
constexpr std::uint32_t kThreads = 64, kLength = 150, kMiddle = 76, kStride = 320;
static_assert(kWarpLanes * kStride % vgpu::GlobalShadow::kPageGranules == 0);
constexpr std::uint32_t kWords = kThreads * kStride;

/// Thread t of block 0 loads the words from t * kStride on, two per step of a loop. One thread of a block
/// stores to `word`: when all threads of its warp have met before the loop, after it, or after a barrier; or
/// after a loop with a barrier before column kMiddle.
std::string text() {
  return kernel_text(
      ".param .u64 a, .param .u32 when, .param .u32 block, .param .u32 thread, .param .u32 word", R"(
    .reg .pred %p<9>; .reg .b32 %r<12>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r3, [when]; ld.param.u32 %r4, [block];
    ld.param.u32 %r5, [thread]; ld.param.u32 %r6, [word];
    setp.eq.u32 %p1, %r1, %r5; setp.eq.and.u32 %p1, %r2, %r4, %p1;
    mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd1, %rd2;
    setp.eq.and.u32 %p2, %r3, 0, %p1;
    @%p2 st.global.u32 [%rd2], 1;
    setp.ne.u32 %p3, %r2, 0; @%p3 bra LOADED;
    mul.lo.u32 %r7, %r1, 1280; cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd1, %rd3;
    mov.u32 %r8, 0;
    LOOP: setp.eq.u32 %p7, %r3, 3; setp.eq.and.u32 %p7, %r8, 76, %p7;
    @%p7 bar.sync 0;
    ld.global.u32 %r9, [%rd3];
    ld.global.u32 %r10, [%rd3+4];
    add.u64 %rd3, %rd3, 8; add.u32 %r8, %r8, 2;
    setp.lt.u32 %p4, %r8, 150; @%p4 bra LOOP;
    LOADED: setp.eq.u32 %p5, %r3, 2;
    @%p5 bar.sync 0;
    setp.ne.and.u32 %p6, %r3, 0, %p1;
    @%p6 st.global.u32 [%rd2], 1;
    ret;
)");
}

enum class When : std::uint32_t { before, after, after_barrier, after_barrier_in_loop };
struct Store {
  When when = When::after;
  std::uint32_t block = 0, thread = 0, word = 0;
};

std::vector<Fault> findings(const Store& store, unsigned cpu_threads = 1) {
  Gpu gpu(text(), {.cpu_threads = cpu_threads, .checks = test::kAllChecks});
  const auto a = gpu.zeros<std::int32_t>(kWords);
  const auto when = static_cast<std::uint32_t>(store.when);
  auto found =
      gpu.launch("k", {2, 1, 1}, {kThreads, 1, 1}, pack(a, when, store.block, store.thread, store.word))
          .findings;
  for (Fault& finding : found) finding.address -= a;
  return found;
}

/// The thread of block 0 that loads the word.
std::optional<std::uint32_t> reader(std::uint32_t word) {
  if (word % kStride >= kLength) return std::nullopt;
  return word / kStride;
}

/// The first, the last, and some words of rows, at the ends of pages and groups, and words between rows.
std::vector<std::uint32_t> words() {
  std::vector<std::uint32_t> words = {1023, 1024, 7 * kStride + kLength};
  for (const std::uint32_t row : {0U, 3U, 31U, 32U, 40U, 63U})
    for (const std::uint32_t column : {0U, 1U, 2U, 8U, 77U, kLength - 1, kStride - 1})
      words.push_back(row * kStride + column);
  return words;
}

/// Lane i accesses the element with number `element(i)`.
template <class Element>
RowShape shape_of(std::uint32_t mask, Element element) {
  Memo memo;
  memo.mask = mask;
  memo.form.bytes = 4;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if ((mask >> lane & 1U) != 0) memo.delta[lane] = std::uint64_t{element(lane)} * memo.form.bytes;
  return RowShape::of(memo);
}

}  // namespace

TEST_CASE("a store races with the thread that has loaded its word in a loop over a row") {
  for (const unsigned cpu_threads : {1U, 2U, 5U}) {
    for (const std::uint32_t word : words()) {
      for (const Store& store : {Store{When::after, 0, 63, word}, Store{When::after, 1, 5, word}}) {
        INFO(word << ' ' << store.block);
        const auto found = findings(store, cpu_threads);
        const auto by = reader(word);
        const bool races = by && (store.block != 0 || *by != store.thread);
        REQUIRE(found.size() == (races ? 1 : 0));
        if (!races) continue;
        CHECK(found[0].kind == vgpu::FaultKind::global_race);
        CHECK(found[0].count == 1);
        CHECK(found[0].address == word * sizeof(std::int32_t));
        CHECK(found[0].other->thread.x == *by);
      }
    }
  }
}

TEST_CASE("a loop over a row races with a store that is not ordered before it") {
  constexpr std::uint32_t kStoring = 5;  // of the first warp: it runs first
  for (const std::uint32_t word : words()) {
    INFO(word);
    const auto by = reader(word);
    const auto found = findings({When::before, 0, kStoring, word});
    REQUIRE(found.size() == (by && *by != kStoring ? 1 : 0));
    if (found.empty()) continue;
    CHECK(found[0].count == 1);
    CHECK(found[0].address == word * sizeof(std::int32_t));
    CHECK(found[0].thread.x == *by);
    CHECK(found[0].other->thread.x == kStoring);
  }
}

TEST_CASE("a barrier orders the loads of rows before a store") {
  for (const std::uint32_t word : words()) CHECK(findings({When::after_barrier, 0, 63, word}).empty());
}

TEST_CASE("a barrier in the loop orders the loads before it, not those after it") {
  constexpr std::uint32_t kStoring = 63;
  for (const std::uint32_t row : {0U, 3U, 40U})
    for (const std::uint32_t column : {0U, kMiddle - 1, kMiddle, kMiddle + 1, kLength - 1}) {
      INFO(row << ' ' << column);
      const auto found = findings({When::after_barrier_in_loop, 0, kStoring, row * kStride + column});
      CHECK(found.size() == (column < kMiddle ? 0 : 1));
    }
}

TEST_CASE("lanes load from rows if all have one distance, also several in a row, or rows again") {
  CHECK(shape_of(kFullMask, [](unsigned lane) { return lane * 100; }) == RowShape{400, kFullMask, 1, 32, 4});
  CHECK(shape_of(kFullMask, [](unsigned lane) { return lane / 8 * 100; }) ==
        RowShape{400, kFullMask, 8, 4, 4});
  CHECK(shape_of(kFullMask, [](unsigned lane) { return lane % 16 * 8; }) ==
        RowShape{32, kFullMask, 1, 16, 4});
  CHECK(shape_of(0xFFFU, [](unsigned lane) { return lane / 2 % 3 * 9; }) == RowShape{36, 0xFFFU, 2, 3, 4});
  const RowShape backwards = shape_of(kFullMask, [](unsigned lane) { return std::uint64_t{0} - lane * 100; });
  CHECK(backwards.has_rows());
  CHECK(backwards.length() == 100);
}

TEST_CASE("lanes do not load from rows without room for a loop, of one place, or at other distances") {
  CHECK_FALSE(shape_of(kFullMask, [](unsigned lane) { return lane; }).has_rows());
  CHECK_FALSE(shape_of(kFullMask, [](unsigned lane) { return lane * 7; }).has_rows());
  CHECK_FALSE(shape_of(kFullMask, [](unsigned) { return 0U; }).has_rows());
  CHECK_FALSE(shape_of(1, [](unsigned) { return 0U; }).has_rows());
  CHECK_FALSE(shape_of(0x7F7FU, [](unsigned lane) { return lane * 100; }).has_rows());
  CHECK_FALSE(
      shape_of(kFullMask, [](unsigned lane) { return lane * 100 + (lane == 31 ? 1 : 0); }).has_rows());
  CHECK_FALSE(shape_of(kFullMask, [](unsigned lane) { return (lane ^ 1U) * 100; }).has_rows());
}

}  // namespace row_loads_test
