// Blocks among each other: atomics, order, and results that do not depend on the number of threads, even of
// kernels that race.
#include <numeric>

#include "vgpu/gpu.hpp"

namespace grid_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Counters;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr const char* kStart = R"(
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r1, %r2, %r3, %r4;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
)";

std::string text(const std::string& body) {
  return kernel_text(".param .u64 data", kStart + body + "\nEND: ret;");
}

struct Outcome {
  Words data;
  Counters counters;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const std::string& body, const Words& data, std::uint32_t blocks, std::uint32_t threads_a_block,
            unsigned cpu_threads) {
  Gpu gpu(text(body), {.cpu_threads = cpu_threads});
  const auto buffer = gpu.upload(data);
  const auto record = gpu.run("k", {blocks, 1, 1}, {threads_a_block, 1, 1}, pack(buffer));
  return {gpu.download<std::uint32_t>(buffer, data.size()), record.counters};
}

/// The same on 1, 2 and 5 threads.
Outcome run_everywhere(const std::string& body, const Words& data, std::uint32_t blocks,
                       std::uint32_t threads_a_block) {
  Outcome one = run(body, data, blocks, threads_a_block, 1);
  for (const unsigned cpu_threads : {2U, 5U}) {
    INFO(body << " on " << cpu_threads << " threads");
    CHECK((run(body, data, blocks, threads_a_block, cpu_threads) == one));
  }
  return one;
}

constexpr std::uint32_t kBlocks = 600;  // more than two waves
constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kAll = kBlocks * kThreads;

}  // namespace

TEST_CASE("atomics without a result add up over all blocks") {
  const Outcome sum = run_everywhere("red.global.add.u32 [%rd1], 1; atom.global.add.u32 %r5, [%rd1+4], %r1;",
                                     Words(2), kBlocks, kThreads);
  CHECK(sum.data[0] == kAll);
  CHECK(sum.data[1] == kAll * (kAll - 1ULL) / 2 % (1ULL << 32U));
  CHECK(sum.counters.global_atomics.requests == 2 * kAll / 32);
  CHECK(sum.counters.global_atomics.sectors == 2 * kAll / 32);
  CHECK(sum.counters.global_atomics.requested_bytes == 2 * kAll * 4);
}

TEST_CASE("atomics of all operations give the result of some order") {
  const Outcome result = run_everywhere(R"(
    red.global.min.s32 [%rd1], -5;
    red.global.max.u32 [%rd1+4], %r1;
    red.global.and.b32 [%rd1+8], 0xFFFFFFF0;
    red.global.or.b32 [%rd1+12], %r1;
    red.global.xor.b32 [%rd1+16], 1;
    red.global.min.u32 [%rd1+20], %r1;
    red.global.max.s32 [%rd1+24], -7;)",
                                        Words{3, 0, 0xFF, 0, 0, 77, 0x80000000}, kBlocks, kThreads);
  CHECK(result.data == Words{0xFFFFFFFB, kAll - 1, 0xF0, 0xFFFF, kAll % 2, 0, 0xFFFFFFF9});
}

TEST_CASE("atomics that return the old value return every value once") {
  const Outcome result = run_everywhere(R"(
    atom.global.add.u32 %r5, [%rd1], 1;
    add.u32 %r5, %r5, 1; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd1, %rd3;
    atom.global.add.u32 %r6, [%rd3], 1;
    setp.ne.u32 %p1, %r6, 0; @%p1 trap;)",
                                        Words(kAll + 1), kBlocks, kThreads);
  CHECK(result.data[0] == kAll);
  CHECK(std::all_of(result.data.begin() + 1, result.data.end(), [](std::uint32_t n) { return n == 1; }));
}

TEST_CASE("exchange, compare-and-swap and wrapping counters work one thread at a time") {
  const Outcome result = run_everywhere(R"(
    atom.global.inc.u32 %r5, [%rd1], 9;
    atom.global.dec.u32 %r6, [%rd1+4], 9;
    atom.global.exch.b32 %r7, [%rd1+8], %r1;
    atom.global.cas.b32 %r8, [%rd1+12], %r1, 1;
    AGAIN: ld.global.u32 %r9, [%rd1+16]; add.u32 %r10, %r9, 2; atom.global.cas.b32 %r11, [%rd1+16], %r9, %r10;
    setp.ne.u32 %p1, %r11, %r9; @%p1 bra AGAIN;)",
                                        Words(5), 10, kThreads);
  CHECK(result.data == Words{640 % 10, (10 - 640 % 10) % 10, 639, 1, 1280});
}

TEST_CASE("a float sum is the same on any number of threads") {
  const Outcome result = run_everywhere(R"(
    cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f3DCCCCCD; red.global.add.f32 [%rd1], %f1;
    cvt.rn.f64.u32 %d1, %r1; atom.global.add.f64 %d2, [%rd1+8], %d1;)",
                                        Words(4), kBlocks, kThreads);
  double sum = 0;
  std::memcpy(&sum, &result.data[2], sizeof sum);
  CHECK(sum == kAll * (kAll - 1.0) / 2);
}

TEST_CASE("a block sees its own writes and reductions") {
  const Outcome result = run_everywhere(R"(
    st.global.u32 [%rd2], %r1; ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;
    red.global.add.u32 [%rd2], 10; ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, 100; st.global.u32 [%rd2], %r6;)",
                                        Words(kAll), kBlocks, kThreads);
  for (std::uint32_t i = 0; i < kAll; ++i) {
    if (result.data[i] != i + 111) FAIL("element " << i << " is " << result.data[i]);
  }
}

TEST_CASE("blocks that write to the same address give the same result on any number of threads") {
  const Outcome last = run_everywhere("st.global.u32 [%rd1], %r1;", Words(1), kBlocks, kThreads);
  CHECK(last.data[0] == kAll - 1);
  // Each block reads its right neighbour's element: in the wave it is still the old one.
  run_everywhere("ld.global.u32 %r5, [%rd2+256]; add.u32 %r5, %r5, %r1; st.global.u32 [%rd2], %r5;",
                 Words(kAll + 64, 1), kBlocks, kThreads);
  // A counter without atomics loses most of its counts, but always the same ones.
  const Outcome lost =
      run_everywhere("ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;", Words(1),
                     kBlocks, kThreads);
  CHECK(lost.data[0] < kAll);
  CHECK(lost.data[0] > 0);
}

TEST_CASE("a block can wait for an earlier block through volatile memory or atomics") {
  // Block b waits until block b - 1 has stored its flag.
  const std::string chain = R"(
    setp.ne.u32 %p1, %r4, 0; @%p1 bra END;
    mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;
    WAIT: LOAD %r5, [%rd3]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT;
    add.u32 %r5, %r5, 1; st.volatile.global.u32 [%rd3+4], %r5;)";
  for (const std::string load : {"ld.volatile.global.u32", "ld.acquire.gpu.global.u32", "ld.volatile.u32"}) {
    std::string body = chain;
    body.replace(body.find("LOAD"), 4, load);
    Words data(kBlocks + 1);
    data[0] = 1;
    CHECK(run_everywhere(body, data, kBlocks, 32).data[kBlocks] == kBlocks + 1);
  }
}

TEST_CASE("a block that writes more than its overlay can hold runs alone, with the same result") {
  // 4 blocks, each of whose threads writes to many pages: more than the block's share of a wave's memory.
  const std::string body = R"(
    mov.u32 %r5, 0;
    LOOP: mul.wide.u32 %rd3, %r5, 4096; add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8000; @%p1 bra LOOP;)";
  Gpu gpu(text(body), {.cpu_threads = 2});
  const auto buffer = *gpu.device.allocate(std::size_t{8001} * 4096);
  gpu.run("k", {4, 1, 1}, {32, 1, 1}, pack(buffer));
  CHECK(gpu.download<std::uint32_t>(buffer + std::uint64_t{7999} * 4096, 128) == [] {
    Words all(128);
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }());
}

TEST_CASE("grids and blocks of three dimensions cover every index once") {
  Gpu gpu(kernel_text(".param .u64 data", R"(
    .reg .b32 %r<20>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; red.global.add.u32 [%rd1], 1; ret;)"));
  constexpr std::size_t kCount = 2 * 3 * 4 * 5 * 3 * 2;
  const auto buffer = gpu.zeros<std::uint32_t>(kCount);
  gpu.run("k", {2, 3, 4}, {5, 3, 2}, pack(buffer));
  CHECK(gpu.download<std::uint32_t>(buffer, kCount) == Words(kCount, 1));
}

}  // namespace grid_test
