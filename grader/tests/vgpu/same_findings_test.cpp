// What is found in a block depends neither on the blocks that the same core has executed before nor on the
// number of threads (doc/decisions/0002-deterministic-waves.md).
#include "vgpu/checks.hpp"

namespace same_findings_test {

using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

constexpr std::uint32_t kPageWords = 1024;
constexpr std::uint32_t kMostBlocks = 48;

/// Blocks use memory of their own, at %rd1.
std::string text(const std::string& body) {
  return kernel_text(".param .u64 out", R"(
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>; .shared .align 4 .b8 shared[512];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r2, 4096; add.u64 %rd1, %rd1, %rd2;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
)" + body + "\nret;");
}

/// `times`: what the counts are multiplied by.
std::vector<std::string> findings(const std::string& body, std::uint32_t blocks, unsigned cpu_threads,
                                  std::uint64_t times = 1) {
  Gpu gpu(text(body), {.cpu_threads = cpu_threads, .checks = test::kAllChecks});
  const auto out = gpu.zeros<std::int32_t>(std::size_t{kMostBlocks} * kPageWords);
  std::vector<std::string> all;
  for (vgpu::Fault& finding : gpu.launch("k", {blocks, 1, 1}, {64, 1, 1}, pack(out)).findings) {
    finding.count *= times;
    all.push_back(test::described(finding));
  }
  return all;
}

void require_same_in_all_blocks(const std::string& body, std::uint32_t blocks) {
  const std::vector<std::string> expected = findings(body, 1, 1, blocks);
  REQUIRE(!expected.empty());
  REQUIRE(findings(body, blocks, 1) == expected);
  constexpr unsigned kRepetitions = 5;  // the threads share the blocks differently each time
  for (const unsigned cpu_threads : {2U, 4U, 8U})
    for (unsigned i = 0; i < kRepetitions; ++i) REQUIRE(findings(body, blocks, cpu_threads) == expected);
}

}  // namespace

TEST_CASE("a block's races are those that it has alone") {
  // Lanes at a distance load, twice, and their neighbours store. An instruction's first load and its later
  // ones, for which the pattern of addresses is known, are recorded in different ways.
  for (const char* distance : {"1", "3"}) {
    for (const char* again : {"%rd2", "%rd2+8"}) {
      const std::string body = std::string("and.b32 %r3, %r1, ") + distance + R"(;
        setp.eq.u32 %p1, %r3, 1;
        .loc 1 1 1
        @%p1 ld.global.u32 %r4, [%rd2];
        .loc 1 2 1
        @%p1 ld.global.u32 %r5, [)" +
                               again + R"(];
        .loc 1 3 1
        st.global.u32 [%rd2+4], %r1;)";
      INFO(body);
      require_same_in_all_blocks(body, kMostBlocks);
    }
  }
}

TEST_CASE("what a block has before its clocks are exhausted does not depend on earlier blocks") {
  // So many meetings of a warp that two blocks need more clocks than there are.
  require_same_in_all_blocks(R"(
    setp.ge.u32 %p1, %r1, 32; @%p1 ret;
    mov.u32 %r3, 0;
    LOOP: bar.warp.sync 0xffffffff;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 70000; @%p2 bra LOOP;
    mov.u32 %r4, shared; ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd2], %r5;)",
                             4);
}

}  // namespace same_findings_test
