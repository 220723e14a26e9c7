// Lanes at a distance, and lanes that share elements: which patterns are runs, and races with their accesses.
#include <optional>
#include <string>
#include <vector>

#include "vgpu/checks.hpp"
#include "vgpu/races/spaced_runs.hpp"
#include "vgpu/shadow/global_shadow.hpp"

namespace spaced_lanes_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::AccessKey;
using vgpu::SpacedLanes;
using vgpu::SpacedRun;
using vgpu::exec::kFullMask;
using vgpu::exec::kWarpLanes;

namespace {

constexpr std::uint8_t kWord = 4;

/// `element`: of a lane, counted from that of the first active lane.
template <class Element>
SpacedLanes lanes_of(std::uint32_t mask, Element element) {
  vgpu::exec::Memo memo;
  memo.mask = mask;
  memo.form.bytes = kWord;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if ((mask >> lane & 1U) != 0) memo.delta[lane] = std::uint64_t{element(lane)} * kWord;
  return SpacedLanes::of(memo);
}

}  // namespace

TEST_CASE("lanes at one distance and lanes that share elements are runs, if all of them follow") {
  const auto all = lanes_of(kFullMask, [](unsigned lane) { return lane * 2; });
  CHECK((all.first == 0 && all.count == 32 && all.width == 1 && all.step == 1 && all.stride == 8));
  const auto even = lanes_of(0x55555555U, [](unsigned lane) { return lane; });
  CHECK((even.first == 0 && even.count == 16 && even.width == 1 && even.step == 2 && even.stride == 8));
  const auto odd = lanes_of(0xAAAAAAAAU, [](unsigned lane) { return lane / 2; });
  CHECK((odd.first == 1 && odd.count == 16 && odd.step == 2 && odd.stride == kWord));
  CHECK(odd.from(0, 0xAAAAAAAAU) == 0xAAAAAAAAU);
  CHECK(odd.from(2, 0xAAAAAAAAU) == 0xAAAAAAA0U);
  CHECK(odd.from(16, 0xAAAAAAAAU) == 0);
  const auto halves = lanes_of(kFullMask, [](unsigned lane) { return lane / 16; });
  CHECK((halves.count == 2 && halves.width == 16 && halves.step == 16 && halves.stride == kWord));
  const auto pairs = lanes_of(0x33333333U, [](unsigned lane) { return lane / 4 * 3; });
  CHECK((pairs.count == 8 && pairs.width == 2 && pairs.step == 4 && pairs.stride == 12));

  const auto is_none = [](const SpacedLanes& lanes) { return lanes.count == 0; };
  CHECK(is_none(lanes_of(kFullMask, [](unsigned lane) { return lane; })));             // side by side
  CHECK(is_none(lanes_of(kFullMask, [](unsigned) { return 0U; })));                    // one element
  CHECK(is_none(lanes_of(1U, [](unsigned) { return 0U; })));                           // one lane
  CHECK(is_none(lanes_of(kFullMask, [](unsigned lane) { return lane / 16 * 256; })));  // rows follow
  CHECK(is_none(lanes_of(kFullMask, [](unsigned lane) { return lane % 16 * 2; })));    // start over
  CHECK(is_none(lanes_of(0x55555557U, [](unsigned lane) { return lane * 2; })));       // one lane more
  CHECK(is_none(lanes_of(0x55555155U, [](unsigned lane) { return lane * 2; })));       // one lane less
  CHECK(is_none(lanes_of(0x7FFFFFFFU, [](unsigned lane) { return lane / 16; })));      // a part of an element
  CHECK(is_none(lanes_of(0x00000555U, [](unsigned lane) { return lane; })));           // few
  CHECK(is_none(lanes_of(kFullMask, [](unsigned lane) { return lane * 2 + lane / 31; })));  // the last one
}

TEST_CASE("an element that lanes share has its first and its last reader in the records") {
  constexpr std::uint32_t kAt = 5, kElements = 4, kStep = 16;
  const std::int32_t key = AccessKey(7, 64, 0).bits();
  vgpu::GlobalShadow::Page page;
  SpacedRun run{{kAt, kElements}, key, 3};
  run.step = kStep;
  run.other_lane = kStep - 1;
  REQUIRE(page.add_spaced(run));
  SpacedRun store = run;
  store.is_store = true;
  store.other_lane = SpacedRun::kOneReader;
  // The other lanes of an element have loaded it as well.
  REQUIRE_FALSE(page.add_spaced(store));
  page.record_spaced();
  const vgpu::ShadowSpan keys = page.keys(kAt, kElements);
  for (std::uint32_t i = 0; i < kElements; ++i) {
    CHECK(keys.read[i] == key + static_cast<std::int32_t>(i * kStep));
    CHECK(keys.other_read[i] == keys.read[i] + static_cast<std::int32_t>(kStep - 1));
    CHECK(keys.read_site[i] == 3);
    CHECK(keys.other_read_site[i] == 3);
  }
}

namespace {

constexpr std::uint32_t kThreads = 64;

/// Lanes whose number has no bit of `skipped` load element `thread >> shift` of each row of 64 words, in a
/// loop over four rows. Then one thread stores to a word.
const std::string& text() {
  static const std::string text = kernel_text(
      ".param .u64 a, .param .u32 skipped, .param .u32 shift, .param .u32 thread, .param .u32 word",
      R"(
    .reg .pred %p<5>; .reg .b32 %r<12>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r3, [skipped]; ld.param.u32 %r4, [shift];
    ld.param.u32 %r5, [thread]; ld.param.u32 %r6, [word];
    and.b32 %r7, %r1, %r3; setp.ne.u32 %p1, %r7, 0; @%p1 bra LOADED;
    shr.u32 %r7, %r1, %r4; mul.wide.u32 %rd2, %r7, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r8, 0;
    LOOP: ld.global.u32 %r9, [%rd2];
    add.u64 %rd2, %rd2, 256; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 4; @%p2 bra LOOP;
    LOADED: setp.ne.u32 %p3, %r1, %r5; @%p3 bra END;
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], 1;
    END: ret;
)");
  return text;
}

/// The thread of the load with which the store races.
std::optional<std::uint32_t> racing_reader(std::uint32_t skipped, std::uint32_t shift, std::uint32_t thread,
                                           std::uint32_t word) {
  Gpu gpu(text(), {.cpu_threads = 1, .checks = test::kAllChecks});
  const auto a = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto found =
      gpu.launch("k", {1, 1, 1}, {kThreads, 1, 1}, pack(a, skipped, shift, thread, word)).findings;
  REQUIRE(found.size() <= 1);
  if (found.empty()) return std::nullopt;
  REQUIRE(found[0].other.has_value());
  const auto one = found[0].thread.x, other = found[0].other->thread.x;
  CHECK((found[0].is_store ? one : other) == thread);
  return found[0].is_store ? other : one;  // the second warp loads after the first one has stored
}

}  // namespace

TEST_CASE("a store races with loads by every second lane, unless the lane loaded the word itself") {
  constexpr std::uint32_t kOdd = 1, kRow = 3 * 64;
  for (const std::uint32_t thread : {6U, 36U})
    for (const std::uint32_t word : {0U, 6U, 7U, 36U, 37U, 62U}) {
      INFO(thread << " stores to " << word);
      const bool races = word % 2 == 0 && word != thread;
      CHECK(racing_reader(kOdd, 0, thread, kRow + word) == (races ? std::optional(word) : std::nullopt));
    }
}

TEST_CASE("a store races with another lane's load of an element that lanes share") {
  constexpr std::uint32_t kNone = 0, kShift = 4, kRow = 3 * 64;
  for (const std::uint32_t word : {0U, 1U, 2U, 3U, 4U}) {
    const std::uint32_t first = word << kShift, last = first + 15;
    for (const std::uint32_t thread : {0U, 20U, 31U, 48U}) {
      INFO(thread << " stores to " << word);
      const auto reader = racing_reader(kNone, kShift, thread, kRow + word);
      REQUIRE(reader.has_value() == (word < 4));
      CHECK((!reader || (*reader != thread && (*reader == first || *reader == last))));
    }
  }
}

}  // namespace spaced_lanes_test
