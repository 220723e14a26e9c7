// Counts by source line, and counts that can be computed by hand: bank conflicts, local arrays,
// constants, atomics, floating-point operations.
#include <algorithm>

#include "vgpu/gpu.hpp"

namespace line_counters_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Counters;
using vgpu::LineCounters;

namespace {

vgpu::LaunchRecord multiply(const char* kernel, std::int32_t n, unsigned threads = 1) {
  Gpu gpu(test::kernel_file("matmul.ptx"), {.cpu_threads = threads});
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto m = gpu.zeros<float>(size);
  const auto other = gpu.zeros<float>(size);
  const auto product = gpu.zeros<float>(size);
  const auto blocks = static_cast<std::uint32_t>((n + 15) / 16);
  return gpu.run(kernel, {blocks, blocks, 1}, {16, 16, 1}, pack(m, other, product, n, n, n));
}

Counters on_line(const vgpu::LaunchRecord& record, std::uint32_t line) {
  const auto found = std::find_if(record.lines.begin(), record.lines.end(),
                                  [&](const LineCounters& one) { return one.line == line; });
  REQUIRE(found != record.lines.end());
  return found->counters;
}

Counters sum_of_lines(const vgpu::LaunchRecord& record) {
  Counters sum;
  for (const LineCounters& line : record.lines) sum += line.counters;
  return sum;
}

/// One warp runs `body` with thread number × 4 in %r2 and a buffer's address in %rd1.
Counters one_warp(const std::string& body, const std::string& before = "") {
  const std::string registers = R"(
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<8>; .reg .f64 %fd<4>;
    .shared .align 16 .b8 s[8448]; .local .align 16 .b8 l[512];
    ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r9, 1;
  )";
  Gpu gpu(kernel_text(".param .u64 in", registers + body + " ret;", before));
  return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(4096))).counters;
}

/// Lane l accesses word l × stride of shared memory.
std::uint64_t conflicts_with_stride(std::uint32_t stride) {
  return one_warp("mul.lo.u32 %r3, %r2, " + std::to_string(stride) + "; ld.shared.u32 %r4, [%r3];")
      .shared_loads.bank_conflicts;
}

}  // namespace

TEST_CASE("the lines of a launch add up to its counters, on any number of threads") {
  for (const char* kernel : {"naive", "tiled"}) {
    const auto one = multiply(kernel, 100);
    Counters counters = one.counters;
    counters.cache = {};  // of whole launches only
    CHECK(sum_of_lines(one) == counters);
    for (const unsigned threads : {2U, 5U}) CHECK(multiply(kernel, 100, threads).lines == one.lines);
  }
}

TEST_CASE("each line of the tiled product counts its own code") {
  const auto record = multiply("tiled", 64);
  constexpr std::uint64_t kWarps = 16 * 8;
  constexpr std::uint64_t kPhases = 4;
  const Counters load = on_line(record, 23);
  CHECK(load.global_loads.requests == kWarps * kPhases);
  CHECK(load.global_loads.sectors == kWarps * kPhases * 4);
  const Counters product = on_line(record, 33);
  CHECK(product.shared_loads.requests == kWarps * kPhases * 32);
  CHECK(product.flops == 2U * 64 * 64 * 64);
  CHECK(product.global_loads.requests == 0);
  CHECK(on_line(record, 32).barriers == kWarps * kPhases);
  CHECK(on_line(record, 36).global_stores.sectors == kWarps * 4);
  for (const LineCounters& line : record.lines) CHECK(line.file == (line.line == 0 ? "" : "matmul.cu"));
}

TEST_CASE("a launch that faults has no lines") {
  Gpu gpu(kernel_text(".param .u64 out", ".reg .b64 %rd<2>; mov.u64 %rd1, 0; st.global.u32 [%rd1], 1; ret;"));
  CHECK(gpu.launch("k", {4, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0})).lines.empty());
}

TEST_CASE("a column of a tile has 31 conflicts, and none with padding") {
  CHECK(conflicts_with_stride(32) == 31);
  CHECK(conflicts_with_stride(33) == 0);
  CHECK(conflicts_with_stride(1) == 0);
  CHECK(conflicts_with_stride(2) == 1);
}

TEST_CASE("wide shared accesses need at least one wavefront per half or quarter warp") {
  const Counters wide = one_warp("shl.b32 %r3, %r1, 3; ld.shared.u64 %rd2, [%r3];");
  CHECK(wide.shared_loads.wavefronts == 2);
  CHECK(wide.shared_loads.bank_conflicts == 0);
  CHECK(one_warp("mov.u32 %r3, 0; ld.shared.u64 %rd2, [%r3];").shared_loads.wavefronts == 1);
  CHECK(one_warp("mov.u32 %r3, 0; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];").shared_loads.wavefronts ==
        2);
  const Counters strided = one_warp("shl.b32 %r3, %r1, 4; ld.shared.u64 %rd2, [%r3];");
  CHECK(strided.shared_loads.wavefronts == 4);
  CHECK(strided.shared_loads.bank_conflicts == 2);
}

TEST_CASE("a local array costs 4 sectors if all threads use one index, 32 if each uses its own") {
  const Counters together = one_warp("st.local.u32 [l+8], %r1; ld.local.u32 %r3, [l+8];");
  CHECK(together.local_stores == vgpu::SectorTraffic{1, 4, 128});
  CHECK(together.local_loads == vgpu::SectorTraffic{1, 4, 128});
  const Counters apart =
      one_warp("mov.u32 %r4, l; add.u32 %r4, %r4, %r2; cvt.u64.u32 %rd2, %r4; st.local.u32 [%rd2], %r1;");
  CHECK(apart.local_stores == vgpu::SectorTraffic{1, 32, 128});
  const Counters wide = one_warp("ld.local.v4.u32 {%r3, %r4, %r5, %r6}, [l];");
  CHECK(wide.local_loads == vgpu::SectorTraffic{1, 16, 512});
  CHECK(wide.global_loads.requests == 0);
}

TEST_CASE("constant memory counts as constant requests, not as global loads") {
  const Counters counters =
      one_warp("ld.const.u32 %r3, [table]; ld.const.u32 %r4, [table+4]; ld.global.u32 %r5, [%rd1];",
               ".const .align 4 .b8 table[16];\n");
  CHECK(counters.constant_requests == 2);
  CHECK(counters.global_loads == vgpu::SectorTraffic{1, 1, 128});
}

TEST_CASE("constant memory takes a pass for each address, not for each word") {
  const std::string table = ".const .align 16 .b8 table[512];\n";
  const std::string at = "mov.u64 %rd2, table; mul.wide.u32 %rd3, %r3, 16; add.s64 %rd2, %rd2, %rd3;";
  const auto passes = [&](const std::string& code) {
    const Counters counters = one_warp(code, table);
    CHECK(counters.constant_requests == 1);
    return counters.constant_passes;
  };
  CHECK(passes("ld.const.u32 %r3, [table];") == 1);
  CHECK(passes("and.b32 %r3, %r1, 7;" + at + "ld.const.u32 %r4, [%rd2];") == 8);
  CHECK(passes("mov.u32 %r3, %r1;" + at + "ld.const.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2];") == 32);
  CHECK(passes("mov.u32 %r3, %r1;" + at + "setp.lt.u32 %p1, %r1, 5; @%p1 ld.const.u32 %r4, [%rd2];") == 5);
}

TEST_CASE("a load from global memory counts as one even if it is given the address of a constant") {
  const Counters counters =
      one_warp("mov.u64 %rd2, table; cvta.const.u64 %rd2, %rd2; ld.global.u32 %r3, [%rd2];",
               ".const .align 4 .b8 table[16];\n");
  CHECK(counters.constant_requests == 0);
  CHECK(counters.global_loads == vgpu::SectorTraffic{1, 1, 128});
}

TEST_CASE("a generic address counts in the space that it reaches") {
  const Counters counters = one_warp(R"(
    mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; setp.lt.u32 %p1, %r1, 8;
    cvta.global.u64 %rd2, %rd1; selp.b64 %rd4, %rd3, %rd2, %p1; ld.u32 %r4, [%rd4];)");
  CHECK(counters.shared_loads.requests == 1);
  CHECK(counters.shared_loads.requested_bytes == 8 * 4);
  CHECK(counters.global_loads.requests == 1);
  CHECK(counters.global_loads.sectors == 1);
  CHECK(counters.global_loads.requested_bytes == 24 * 4);
}

TEST_CASE("atomics on global and on shared memory are counted separately") {
  const Counters counters = one_warp(
      "red.global.add.u32 [%rd1], %r9; atom.shared.add.u32 %r4, [%r2], %r9; st.shared.u32 [%r2], %r9;");
  CHECK(counters.global_atomics == vgpu::SectorTraffic{1, 1, 128});
  CHECK(counters.shared_atomics.requests == 1);
  CHECK(counters.shared_atomics.wavefronts == 1);
  CHECK(counters.shared_stores.requests == 1);
}

TEST_CASE("a fused multiply-add is two operations, inactive lanes do none") {
  const Counters counters = one_warp(R"(
    mov.f32 %f1, 0f3F800000; mov.f64 %fd1, 0d3FF0000000000000; setp.lt.u32 %p1, %r1, 5;
    fma.rn.f32 %f2, %f1, %f1, %f1; add.f64 %fd2, %fd1, %fd1; @%p1 mul.f32 %f3, %f2, %f1;
    setp.lt.f32 %p2, %f2, %f3; max.f32 %f4, %f2, %f3; add.u32 %r3, %r1, %r1;)");
  CHECK(counters.flops == 2 * 32 + 32 + 5);
}

}  // namespace line_counters_test
