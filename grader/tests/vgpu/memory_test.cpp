// Address spaces: every type, vector loads and stores, generic addresses, constants, local memory, what a
// fresh block finds, and what accesses cost.
#include <numeric>

#include "vgpu/gpu.hpp"
#include "vgpu/state/unwritten.hpp"

namespace memory_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Counters;

namespace {

constexpr const char* kRegisters =
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b64 %rd<12>;\n";

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0U);
  return values;
}

/// Counters of one warp that loads shared memory at `address` (in %r2, computed from the lane in %r1).
Counters shared_load(const std::string& address, const std::string& type, std::uint32_t threads = 32) {
  Gpu gpu(kernel_text(
      "", kRegisters +
              std::string(".reg .b32 %w<4>; .reg .b64 %x<2>; .shared .align 16 .b8 s[16384];\n"
                          "mov.u32 %r1, %tid.x;\n") +
              address + "\nmov.u32 %r3, s; add.u32 %r2, %r2, %r3;\nld.shared." + type + ", [%r2]; ret;"));
  return gpu.run("k", {1, 1, 1}, {threads, 1, 1}, {}).counters;
}

/// Counters of one warp that loads a global buffer at byte offset %r2.
Counters global_load(const std::string& offset, const std::string& type, std::uint32_t threads = 32) {
  Gpu gpu(kernel_text(".param .u64 in",
                      kRegisters + std::string(".reg .b32 %w<4>; .reg .b64 %x<2>; mov.u32 %r1, %tid.x;\n") +
                          offset +
                          "\nld.param.u64 %rd1, [in]; cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2;\n"
                          "ld.global." +
                          type + ", [%rd1]; ret;"));
  const auto in = gpu.zeros<std::uint32_t>(65536);
  return gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(in)).counters;
}

}  // namespace

TEST_CASE("narrow loads are extended to the register, and narrow stores are truncated") {
  Gpu gpu(kernel_text(".param .u64 in, .param .u64 out", kRegisters + std::string(R"(
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
    ld.global.u8 %r1, [%rd1];   st.global.u32 [%rd2], %r1;
    ld.global.s8 %r2, [%rd1];   st.global.u32 [%rd2+4], %r2;
    ld.global.u16 %r3, [%rd1];  st.global.u32 [%rd2+8], %r3;
    ld.global.s16 %r4, [%rd1];  st.global.u32 [%rd2+12], %r4;
    ld.global.s8 %rd3, [%rd1];  st.global.u64 [%rd2+16], %rd3;
    ld.global.s32 %rd4, [%rd1]; st.global.u64 [%rd2+24], %rd4;
    ld.global.u32 %rd5, [%rd1]; st.global.u64 [%rd2+32], %rd5;
    ld.global.u8 %h1, [%rd1+1]; st.global.u8 [%rd2+40], %h1;
    mov.u32 %r5, 0x12345678;    st.global.u8 [%rd2+41], %r5; st.global.u16 [%rd2+42], %r5;
    ld.global.v2.s8 {%r6, %r7}, [%rd1]; st.global.v2.u32 [%rd2+48], {%r6, %r7};
    ld.global.v2.s16 {%r6, %r7}, [%rd1]; st.global.v2.u32 [%rd2+56], {%r6, %r7};
    ret;)")));
  const auto in = gpu.upload(std::vector<std::uint32_t>{0xFEDC9A81});
  const auto out = gpu.zeros<std::uint32_t>(16);
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(in, out));
  CHECK(gpu.download<std::uint32_t>(out, 16) ==
        std::vector<std::uint32_t>{0x81, 0xFFFFFF81, 0x9A81, 0xFFFF9A81, 0xFFFFFF81, 0xFFFFFFFF, 0xFEDC9A81,
                                   0xFFFFFFFF, 0xFEDC9A81, 0, 0x5678789A, 0, 0xFFFFFF81, 0xFFFFFF9A,
                                   0xFFFF9A81, 0xFFFFFEDC});
}

TEST_CASE("vectors of two and four elements load and store in all spaces") {
  Gpu gpu(kernel_text(".param .u64 in, .param .u64 out", kRegisters + std::string(R"(
    .shared .align 16 .b8 s[512];
    .local .align 16 .b8 l[16];
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 16;
    add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];
    shl.b32 %r6, %r1, 4; mov.u32 %r7, s; add.u32 %r7, %r7, %r6;
    st.shared.v4.u32 [%r7], {%r5, %r4, %r3, %r2};
    ld.shared.v2.u32 {%r8, %r9}, [%r7+8];
    st.local.v2.u32 [l], {%r8, %r9};
    ld.local.v2.u32 {%r10, %r11}, [l];
    ld.shared.v2.u32 {%r12, %r13}, [%r7];
    st.global.v4.u32 [%rd2], {%r10, %r11, %r12, %r13};
    ret;)")));
  const auto in = gpu.upload(counting(80));
  const auto out = gpu.zeros<std::uint32_t>(80);
  gpu.run("k", {1, 1, 1}, {20, 1, 1}, pack(in, out));  // a warp that is not full
  const auto result = gpu.download<std::uint32_t>(out, 80);
  for (std::uint32_t i = 0; i < 80; i += 4) {
    CHECK(std::vector<std::uint32_t>(result.begin() + i, result.begin() + i + 4) ==
          std::vector<std::uint32_t>{i + 1, i, i + 3, i + 2});
  }
}

TEST_CASE("one generic access can reach shared, local and global memory") {
  Gpu gpu(kernel_text(".param .u64 in, .param .u64 out", kRegisters + std::string(R"(
    .shared .align 4 .b8 s[4]; .local .align 4 .b8 l[4];
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 100; st.shared.u32 [s], %r2;
    add.u32 %r3, %r1, 1000; st.local.u32 [l], %r3;
    mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3;
    mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4;
    rem.u32 %r4, %r1, 3;
    setp.eq.u32 %p1, %r4, 0; setp.eq.u32 %p2, %r4, 1;
    selp.b64 %rd5, %rd4, %rd1, %p2;
    selp.b64 %rd5, %rd3, %rd5, %p1;
    ld.u32 %r5, [%rd5];
    mul.wide.u32 %rd6, %r1, 4; add.u64 %rd2, %rd2, %rd6;
    st.u32 [%rd2], %r5;
    cvta.to.shared.u64 %rd7, %rd3; ld.shared.u32 %r6, [%rd7]; setp.ne.u32 %p3, %r6, 100; @%p3 trap;
    ret;)")));
  const auto in = gpu.upload(std::vector<std::uint32_t>{7});
  const auto out = gpu.zeros<std::uint32_t>(32);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(in, out));
  const auto result = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (i % 3 == 0 ? 100 : i % 3 == 1 ? 1000 + i : 7));
}

TEST_CASE("module variables are initialised, hold each other's addresses and can be written by the host") {
  Gpu gpu(kernel_text(".param .u64 out", kRegisters + std::string(R"(
    ld.param.u64 %rd1, [out];
    ld.const.u32 %r1, [table+8];
    ld.global.u32 %r2, [value];
    ld.global.u64 %rd2, [pointer]; ld.global.u32 %r3, [%rd2];
    mov.u64 %rd3, table; cvta.const.u64 %rd3, %rd3; ld.u32 %r4, [%rd3+4];
    st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
    ret;)"),
                      ".const .align 4 .u32 table[3] = {11, 22, 33};\n.global .align 4 .u32 value = 5;\n"
                      ".global .align 8 .u64 pointer = value;\n"));
  const auto out = gpu.zeros<std::uint32_t>(4);
  const auto symbol = gpu.device.symbol(gpu.module, "value");
  REQUIRE(symbol);
  CHECK(symbol->size_bytes == 4);
  const std::vector<std::uint32_t> changed{6};
  REQUIRE(gpu.device.write(symbol->start, std::as_bytes(std::span(changed))));
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out));
  CHECK(gpu.download<std::uint32_t>(out, 4) == std::vector<std::uint32_t>{33, 6, 6, 22});
  CHECK_FALSE(gpu.device.symbol(gpu.module, "other"));
}

TEST_CASE("a kernel's structure parameters can be read at fixed and at computed offsets") {
  Gpu gpu(kernel_text(".param .u64 out, .param .align 4 .b8 s[12]", kRegisters + std::string(R"(
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [s+8];
    mov.b64 %rd2, s;
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4;
    add.u64 %rd2, %rd2, %rd3;
    ld.param.u32 %r3, [%rd2];
    add.u64 %rd1, %rd1, %rd3;
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%rd1], %r3; ret;)")));
  const auto out = gpu.zeros<std::uint32_t>(3);
  gpu.run("k", {1, 1, 1}, {3, 1, 1}, pack(out, std::uint32_t{1}, std::uint32_t{2}, std::uint32_t{30}));
  CHECK(gpu.download<std::uint32_t>(out, 3) == std::vector<std::uint32_t>{31, 32, 60});
}

TEST_CASE("fresh shared, local and device memory has the words of unwritten memory, in every block") {
  const std::string body = kRegisters + std::string(R"(
    .shared .align 4 .b8 s[128]; .local .align 4 .b8 l[4];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r1, 2;
    mov.u32 %r4, s; add.u32 %r4, %r4, %r3;
    ld.shared.u32 %r5, [%r4]; ld.local.u32 %r6, [l]; and.b32 %r5, %r5, %r6;
    mov.u32 %r7, 0; st.shared.u32 [%r4], %r7; st.local.u32 [l], %r7;
    mad.lo.u32 %r8, %r2, 32, %r1; mul.wide.u32 %rd2, %r8, 4; add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r5; ret;)");
  Gpu gpu(kernel_text(".param .u64 out", body));
  const auto out = *gpu.device.allocate(4 * 64 * 4);
  std::vector<std::uint32_t> unwritten;
  for (std::size_t i = 0; i < 256; ++i)
    unwritten.push_back(vgpu::kUnwrittenWords[i % vgpu::kUnwrittenWords.size()]);
  CHECK(gpu.download<std::uint32_t>(out, 256) == unwritten);
  gpu.run("k", {8, 1, 1}, {32, 1, 1}, pack(out));
  for (std::uint32_t& word : unwritten) word &= vgpu::kUnwrittenWords[0];  // the first word of local memory
  CHECK(gpu.download<std::uint32_t>(out, 256) == unwritten);
}

TEST_CASE("registers that were never written hold the same large numbers in every block") {
  Gpu gpu(kernel_text(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .f64 %d<3>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2;
    add.f32 %f1, %f2, 0f3F800000;
    testp.notanumber.f64 %p1, %d1; selp.u32 %r3, 1, 0, %p1;
    selp.u32 %r4, 1, 0, %p2;
    st.global.f32 [%rd1], %f1; st.global.u32 [%rd1+4], %r2;
    st.global.u32 [%rd1+8], %r3; st.global.u32 [%rd1+12], %r4;
    mov.u32 %r2, 7; mov.f32 %f2, 0f00000000; mov.f64 %d1, 0d0000000000000000; setp.eq.u32 %p2, %r2, 7;
    @%p2 add.u32 %r2, %r2, 1;
    add.f32 %f2, %f2, %f1; st.global.f32 [%rd1], %f2;
    ret;)"));
  constexpr std::uint32_t kBlocks = 3;
  const auto out = gpu.zeros<std::uint32_t>(std::size_t{4} * kBlocks);
  gpu.run("k", {kBlocks, 1, 1}, {1, 1, 1}, pack(out));
  const auto words = gpu.download<std::uint32_t>(out, std::size_t{4} * kBlocks);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    INFO("block " << block);
    CHECK_FALSE(std::fabs(std::bit_cast<float>(words[4 * block])) < 1e38F);  // it can be NaN
    const auto& known = vgpu::kUnwrittenWords;
    CHECK(std::find(known.begin(), known.end(), words[4 * block + 1]) != known.end());
    for (std::size_t i = 0; i < 4; ++i) CHECK(words[4 * block + i] == words[i]);
  }
}

TEST_CASE("dynamic shared memory starts after static shared memory") {
  Gpu gpu(kernel_text(".param .u64 out", kRegisters + std::string(R"(
    .shared .align 4 .b8 fixed[20];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, dynamic; mov.u32 %r2, fixed; sub.u32 %r3, %r1, %r2;
    mov.u32 %r4, 9; st.shared.u32 [%r1+60], %r4;
    mov.u32 %r5, %dynamic_smem_size; mov.u32 %r6, %total_smem_size;
    st.global.v2.u32 [%rd1], {%r3, %r5}; st.global.u32 [%rd1+8], %r6; ret;)"),
                      ".extern .shared .align 16 .b8 dynamic[];\n"));
  const auto out = gpu.zeros<std::uint32_t>(3);
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out), 64);
  CHECK(gpu.download<std::uint32_t>(out, 3) == std::vector<std::uint32_t>{32, 64, 96});
}

TEST_CASE("reserved shared memory is between static and dynamic memory, in kernels that request it") {
  Gpu gpu(kernel_text(".param .u64 out", kRegisters + std::string(R"(
    .shared .align 4 .b8 fixed[20];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, %reserved_smem_offset_1;
    mov.u32 %r3, %reserved_smem_offset_end; mov.u32 %r4, dynamic; mov.u32 %r5, fixed;
    mov.u32 %r6, 9; st.shared.u32 [%r2], %r6; st.shared.u32 [%r2+508], %r6;
    sub.u32 %r1, %r1, %r5; sub.u32 %r2, %r2, %r5; sub.u32 %r3, %r3, %r5; sub.u32 %r4, %r4, %r5;
    st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; ret;)"),
                      ".extern .shared .align 16 .b8 dynamic[];\n"));
  const auto out = gpu.zeros<std::uint32_t>(4);
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out), 64);
  CHECK(gpu.download<std::uint32_t>(out, 4) == std::vector<std::uint32_t>{32, 544, 1056, 1056});
}

TEST_CASE("libraries can read reserved shared memory before they write it") {
  const auto findings = [](const std::string& place) {
    vgpu::DeviceOptions options;
    options.checks = vgpu::Checks::all();
    Gpu gpu(kernel_text(".param .u64 out", kRegisters + std::string(R"(
      .shared .align 4 .b8 fixed[20]; mov.u32 %r5, fixed; ld.param.u64 %rd1, [out];
      mov.u32 %r1, %reserved_smem_offset_1;)") +
                                               "red.shared.and.b32 [" + place + R"(], 7;
      ld.shared.u32 %r2, [%r1]; st.global.u32 [%rd1], %r2; ret;)"),
            options);
    return gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(gpu.zeros<std::uint32_t>(4))).findings.size();
  };
  CHECK(findings("%r1") == 0);
  CHECK(findings("%r5") == 1);
}

TEST_CASE("cache policies are hints") {
  Gpu gpu(kernel_text(".param .u64 out", kRegisters + std::string(R"(
    ld.param.u64 %rd1, [out];
    createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;
    createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd3, [%rd1], 0x100, 0x200;
    ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2; add.u32 %r1, %r1, 1;
    st.global.L2::cache_hint.u32 [%rd1], %r1, %rd3; ret;)")));
  const auto out = gpu.upload(std::vector<std::uint32_t>{7});
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out));
  CHECK(gpu.download<std::uint32_t>(out, 1)[0] == 8);
}

TEST_CASE("clocks have an upper half") {
  Gpu gpu(kernel_text(".param .u64 out", kRegisters + std::string(R"(
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %clock; mov.u32 %r2, %clock_hi; mov.u32 %r3, %globaltimer_hi;
    setp.ne.u32 %p1, %r1, 0; selp.u32 %r1, 1, 0, %p1;
    st.global.v2.u32 [%rd1], {%r1, %r2}; st.global.u32 [%rd1+8], %r3; ret;)")));
  const auto out = gpu.upload(std::vector<std::uint32_t>(3, 99));
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out));
  CHECK(gpu.download<std::uint32_t>(out, 3) == std::vector<std::uint32_t>{1, 0, 0});
}

TEST_CASE("shared loads take as many wavefronts as their worst bank has words") {
  const auto wavefronts = [](const Counters& c) { return c.shared_loads.wavefronts; };
  CHECK(wavefronts(shared_load("shl.b32 %r2, %r1, 2;", "u32 %w1")) == 1);       // one word each
  CHECK(wavefronts(shared_load("mov.u32 %r2, 0;", "u32 %w1")) == 1);            // broadcast
  CHECK(wavefronts(shared_load("shl.b32 %r2, %r1, 3;", "u32 %w1")) == 2);       // stride 2
  CHECK(wavefronts(shared_load("mul.lo.u32 %r2, %r1, 12;", "u32 %w1")) == 1);   // stride 3
  CHECK(wavefronts(shared_load("shl.b32 %r2, %r1, 7;", "u32 %w1")) == 32);      // stride 32
  CHECK(wavefronts(shared_load("mul.lo.u32 %r2, %r1, 132;", "u32 %w1")) == 1);  // stride 33
  CHECK(wavefronts(shared_load("mov.u32 %r2, %r1;", "u8 %w1")) == 1);           // 4 lanes a word
  CHECK(wavefronts(shared_load("shl.b32 %r2, %r1, 3;", "u64 %x1")) == 2);       // two half warps
  CHECK(wavefronts(shared_load("shl.b32 %r2, %r1, 4;", "v4.u32 {%w1, %w2, %w3, %w0}")) ==
        4);                                                                   // four quarters
  CHECK(wavefronts(shared_load("shl.b32 %r2, %r1, 7;", "u32 %w1", 5)) == 5);  // five lanes
  CHECK(shared_load("shl.b32 %r2, %r1, 2;", "u32 %w1", 5).shared_loads.requested_bytes == 20);
}

TEST_CASE("global loads touch the expected number of sectors") {
  const auto sectors = [](const Counters& c) { return c.global_loads.sectors; };
  CHECK(sectors(global_load("shl.b32 %r2, %r1, 2;", "u32 %w1")) == 4);  // 128 bytes
  CHECK(sectors(global_load("shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, 4;", "u32 %w1")) ==
        5);                                                               // shifted by a word
  CHECK(sectors(global_load("mov.u32 %r2, 64;", "u32 %w1")) == 1);        // broadcast
  CHECK(sectors(global_load("shl.b32 %r2, %r1, 3;", "u32 %w1")) == 8);    // stride 2
  CHECK(sectors(global_load("shl.b32 %r2, %r1, 12;", "u32 %w1")) == 32);  // a column
  CHECK(sectors(global_load("mov.u32 %r2, %r1;", "u8 %w1")) == 1);        // 32 bytes
  CHECK(sectors(global_load("shl.b32 %r2, %r1, 4;", "v4.u32 {%w1, %w2, %w3, %w0}")) == 16);  // 512 bytes
  CHECK(sectors(global_load("shl.b32 %r2, %r1, 12;", "u32 %w1", 7)) == 7);
  CHECK(global_load("shl.b32 %r2, %r1, 3;", "u64 %x1", 7).global_loads.requested_bytes == 56);
}

TEST_CASE("a loop with changing addresses costs as much as its accesses counted one by one") {
  // 32 loads of 128 bytes, each one word further: a sector more unless it starts on a sector.
  Gpu gpu(kernel_text(".param .u64 in", kRegisters + std::string(R"(
    ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
    mov.u32 %r2, 0;
    LOOP: ld.global.u32 %r3, [%rd1]; add.u64 %rd1, %rd1, 4; add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 32; @%p1 bra LOOP; ret;)")));
  const auto in = gpu.zeros<std::uint32_t>(64);
  CHECK(gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(in)).counters.global_loads.sectors == 32 * 5 - 4);
}

}  // namespace memory_test
