// Loads from allocations to which a launch does not store are only noted; all others are checked as before.
#include "catch.hpp"
#include "vgpu/gpu.hpp"

namespace unstored_memory_test {

namespace {

using test::Gpu;
using test::pack;

constexpr std::uint32_t kThreads = 64, kBlocks = 3;
constexpr vgpu::DeviceOptions kChecked{.checks = vgpu::Checks::all()};

/// out[i] = in[i + 64], after `body`.
std::string kernel(const std::string& body = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
         ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
         "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
         "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r1;\n"
         "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n" +
         body + "ld.global.u32 %r3, [%rd4+256]; st.global.u32 [%rd5], %r3; ret;\n}\n";
}

}  // namespace

TEST_CASE("what a launch reads of an allocation that it does not store to is among its accesses") {
  Gpu gpu(kernel(), kChecked);
  const auto in = gpu.zeros<std::uint32_t>(4 * kThreads), out = gpu.zeros<std::uint32_t>(4 * kThreads);
  const auto record = gpu.run("k", {kBlocks, 1, 1}, {kThreads, 1, 1}, pack(in, out));
  CHECK(record.findings.empty());
  const std::size_t bytes = std::size_t{kBlocks} * kThreads * 4;
  CHECK(record.accesses ==
        std::vector<vgpu::MemoryAccess>{{in + 256, bytes, false, false}, {out, bytes, true, false}});
}

TEST_CASE("rows that lanes read along in a loop are among the accesses, and nothing between them is") {
  // Each of 40 threads, in two warps, reads 24 words from its own multiple of 32 words on, backwards in the
  // second warp.
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 128; add.u64 %rd4, %rd1, %rd3;\n"
      "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u64 %rd5, 4; setp.lt.u32 %p1, %r1, 32;\n"
      "@%p1 bra LOOP; add.u64 %rd4, %rd4, 92; mov.u64 %rd5, -4;\n"
      "LOOP: ld.global.u32 %r4, [%rd4]; add.u32 %r2, %r2, %r4; add.u64 %rd4, %rd4, %rd5;\n"
      "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 24; @%p2 bra LOOP;\n"
      "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd7, %rd2, %rd6; st.global.u32 [%rd7], %r2; ret;\n}\n";
  Gpu gpu(text, kChecked);
  constexpr std::uint32_t kRows = 40, kRow = 32;
  const auto in = gpu.zeros<std::uint32_t>(kRows * kRow), out = gpu.zeros<std::uint32_t>(kRows);
  const auto record = gpu.run("k", {1, 1, 1}, {kRows, 1, 1}, pack(in, out));
  CHECK(record.findings.empty());
  std::vector<vgpu::MemoryAccess> expected;
  for (std::uint64_t row = 0; row < kRows; ++row) expected.push_back({in + row * 128, 96, false, false});
  expected.push_back({out, kRows * 4, true, false});
  CHECK(record.accesses == expected);
}

TEST_CASE("if both parameters are one allocation, its loads are checked") {
  Gpu gpu(kernel(), kChecked);
  const auto data = gpu.zeros<std::uint32_t>(4 * kThreads);
  const auto record = gpu.run("k", {kBlocks, 1, 1}, {kThreads, 1, 1}, pack(data, data));
  REQUIRE(record.findings.size() == 1);
  CHECK(record.findings[0].kind == vgpu::FaultKind::global_race);
}

TEST_CASE("reads of unwritten memory are found in an allocation that is not stored to") {
  Gpu gpu(kernel(), kChecked);
  const auto in = gpu.device.allocate(4 * kThreads * 4);
  const auto out = gpu.zeros<std::uint32_t>(4 * kThreads);
  const auto record = gpu.run("k", {kBlocks, 1, 1}, {kThreads, 1, 1}, pack(*in, out));
  REQUIRE(record.findings.size() == 1);
  CHECK(record.findings[0].kind == vgpu::FaultKind::uninitialised_read);
}

TEST_CASE("a store to an allocation that no address in the program leads to is reported") {
  // The address of `in` is in memory, and the kernel puts it together from halves.
  const std::string store =
      "ld.global.u32 %r4, [%rd2+1024]; ld.global.u32 %r5, [%rd2+1028]; cvt.u64.u32 %rd6, %r4;"
      "cvt.u64.u32 %rd7, %r5; shl.b64 %rd7, %rd7, 32; or.b64 %rd6, %rd6, %rd7; st.global.u32 [%rd6], %r1;";
  Gpu gpu(kernel(store), kChecked);
  const auto in = gpu.zeros<std::uint32_t>(4 * kThreads), out = gpu.zeros<std::uint32_t>(8 * kThreads);
  REQUIRE(gpu.device.write(out + 1024, std::as_bytes(std::span(&in, 1))));
  const auto record = gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(in, out));
  REQUIRE(record.findings.size() == 1);
  CHECK(record.findings[0].kind == vgpu::FaultKind::races_not_recorded);
}

}  // namespace unstored_memory_test
