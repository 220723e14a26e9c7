// Races of accesses at a constant stride, which the log of a block holds as one run.
#include "vgpu/checks.hpp"

namespace strided_races_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

constexpr std::uint32_t kThreads = 64;

/// Threads store to word block * block_step + thread * step. Blocks from `first_reader` on load instead.
std::string text() {
  return kernel_text(".param .u64 out, .param .u32 block_step, .param .u32 step, .param .u32 first_reader",
                     R"(
    .reg .pred %p1; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r3, [block_step]; ld.param.u32 %r4, [step];
    ld.param.u32 %r5, [first_reader];
    mul.lo.u32 %r6, %r1, %r4; mad.lo.u32 %r6, %r2, %r3, %r6;
    mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd1, %rd2;
    setp.ge.u32 %p1, %r2, %r5; @%p1 bra LOAD;
    add.u32 %r7, %r2, 1; st.global.u32 [%rd2], %r7; ret;
    LOAD: ld.global.u32 %r8, [%rd2]; ret;
)");
}

struct Strides {
  std::uint32_t block_step, step;
};

std::vector<Fault> findings(const Strides& strides, std::uint32_t blocks, std::uint32_t first_reader,
                            unsigned cpu_threads = 1) {
  Gpu gpu(text(), {.cpu_threads = cpu_threads, .checks = test::kAllChecks});
  const auto out = gpu.zeros<std::int32_t>(test::kCheckWords);
  auto found = gpu.launch("k", {blocks, 1, 1}, {kThreads, 1, 1},
                          pack(out, strides.block_step, strides.step, first_reader))
                   .findings;
  for (Fault& finding : found) finding.address -= out;
  return found;
}

}  // namespace

TEST_CASE("two blocks race at a stride where they access one word") {
  constexpr std::uint32_t kStores = 2, kLoads = 1;
  for (const std::uint32_t first_reader : {kStores, kLoads}) {
    for (const std::uint32_t step : {2U, 3U, 8U, 9U, 40U}) {
      INFO(step << ' ' << first_reader);
      const std::uint32_t last = (kThreads - 1) * step;
      // Block 1 begins at the last word of block 0.
      const auto one = findings({last, step}, 2, first_reader);
      REQUIRE(one.size() == 1);
      CHECK(one[0].kind == FaultKind::global_race);
      CHECK(one[0].count == 1);
      CHECK(one[0].address == last * sizeof(std::int32_t));
      CHECK(one[0].block.x == 1);
      CHECK(one[0].thread.x == 0);
      CHECK(one[0].other->thread.x == kThreads - 1);
      // Block 1 accesses all words but the first of block 0.
      const auto all = findings({step, step}, 2, first_reader);
      REQUIRE(all.size() == 1);
      CHECK(all[0].count == kThreads - 1);
      CHECK(all[0].other->thread.x == all[0].thread.x + 1);
    }
  }
}

TEST_CASE("blocks that access the gaps of each other's strides do not race") {
  for (const std::uint32_t first_reader : {1U, 9U}) {
    for (const std::uint32_t step : {2U, 3U, 8U, 9U, 40U}) {
      INFO(step << ' ' << first_reader);
      CHECK(findings({1, step}, step, first_reader).empty());
      CHECK(findings({kThreads * step, step}, 2, first_reader).empty());
    }
  }
}

TEST_CASE("two blocks race where the rows of their partly active warps overlap") {
  constexpr std::uint32_t kRow = 7, kPitch = 64;
  // Each row of eight threads stores seven words.
  const std::string rows = kernel_text(".param .u64 out, .param .u32 block_step", R"(
    .reg .pred %p1; .reg .b32 %r<6>; .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; ld.param.u64 %rd1, [out]; ld.param.u32 %r3, [block_step];
    and.b32 %r4, %r1, 7; setp.eq.u32 %p1, %r4, 7; @%p1 ret;
    shr.u32 %r5, %r1, 3; mad.lo.u32 %r4, %r5, 64, %r4; mad.lo.u32 %r4, %r2, %r3, %r4;
    mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2; add.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2; ret;
)");
  for (const std::uint32_t block_step : {kRow, kRow - 1, kPitch, kPitch - kRow}) {
    INFO(block_step);
    Gpu gpu(rows, {.cpu_threads = 1, .checks = test::kAllChecks});
    const auto out = gpu.zeros<std::int32_t>(test::kCheckWords);
    const auto found = gpu.launch("k", {2, 1, 1}, {kThreads, 1, 1}, pack(out, block_step)).findings;
    if (block_step != kRow - 1 && block_step != kPitch) {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(found.size() == 1);
    const bool is_next_row = block_step == kPitch;
    CHECK(found[0].count == (is_next_row ? (kThreads / 8 - 1) * kRow : kThreads / 8));
    CHECK(found[0].address == out + (is_next_row ? kPitch : kRow - 1) * sizeof(std::int32_t));
    CHECK(found[0].thread.x == 0);
    CHECK(found[0].other->thread.x == (is_next_row ? 8 : kRow - 1));
  }
}

TEST_CASE("the findings of strided races do not depend on the number of host threads") {
  for (const Strides& strides : {Strides{1, 2}, Strides{3, 3}, Strides{4, 8}, Strides{6, 9}}) {
    std::vector<std::string> first;
    for (const unsigned cpu_threads : {1U, 2U, 5U}) {
      std::vector<std::string> found;
      for (const Fault& finding : findings(strides, 24, 20, cpu_threads))
        found.push_back(test::described(finding) + " at " + std::to_string(finding.address));
      if (cpu_threads == 1) first = found;
      CHECK_FALSE(found.empty());
      CHECK(found == first);
    }
  }
}

}  // namespace strided_races_test
