// Threads that wait for each other through memory: within a warp, a block, and a grid.
#include "vgpu/gpu.hpp"

namespace spinning_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Dim3;
using vgpu::FaultKind;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr const char* kStart = R"(
    .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<12>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;
    ld.param.u64 %rd1, [data];
)";

/// cooperative_groups::this_grid().sync() as nvcc 13 compiles it for blocks in x.
constexpr const char* kGridSync = R"({
    .reg .pred %q<9>; .reg .b32 %s<20>; .reg .b64 %sd<9>;
    mov.u32 %s1, %envreg2; cvt.u64.u32 %sd1, %s1; mov.u32 %s2, %envreg1; cvt.u64.u32 %sd2, %s2;
    bfi.b64 %sd3, %sd2, %sd1, 32, 32; setp.ne.s64 %q1, %sd3, 0; @%q1 bra HAS_GRID; trap;
    HAS_GRID: barrier.sync 0; setp.ne.u32 %q2, %r1, 0; @%q2 bra MEET;
    add.s64 %sd4, %sd3, 4; setp.eq.u32 %q3, %r2, 0; mov.u32 %s3, -2147483647; sub.s32 %s4, %s3, %r3;
    selp.b32 %s5, %s4, 1, %q3;
    atom.add.release.gpu.u32 %s6, [%sd4], %s5;
    SPIN: ld.acquire.gpu.u32 %s7, [%sd4]; xor.b32 %s8, %s7, %s6; setp.gt.s32 %q4, %s8, -1; @%q4 bra SPIN;
    MEET: barrier.sync 0;
})";

std::string text(const std::string& body) {
  return kernel_text(".param .u64 data", kStart + body + "\nret;");
}

vgpu::LaunchRecord cooperate(Gpu& gpu, Dim3 grid, Dim3 block, const std::vector<std::byte>& parameters) {
  vgpu::Launch launch{gpu.module, "k", grid, block, 0, parameters};
  launch.cooperative = true;
  return gpu.device.launch(launch);
}

}  // namespace

TEST_CASE("a grid barrier lets every block see what all blocks wrote") {
  // Each block writes its number + round, then reads its right neighbour's, in three rounds.
  const std::string body = R"(
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; add.u32 %r4, %r2, 1; rem.u32 %r4, %r4, %r3;
    mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4; mov.u32 %r5, 0;
    ROUND:)" + std::string(kGridSync) +
                           R"(
    ld.global.u32 %r6, [%rd5];)" +
                           kGridSync + R"(
    add.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra NEXT; st.global.u32 [%rd3], %r6;
    NEXT: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra ROUND;)";
  Words counts;
  for (const unsigned threads : {1U, 3U}) {
    vgpu::DeviceOptions options;
    options.cpu_threads = threads;
    Gpu gpu(text(body), options);
    Words start(20);
    for (std::uint32_t i = 0; i < 20; ++i) start[i] = i * 100;
    const auto data = gpu.upload(start);
    const auto record = cooperate(gpu, {20, 1, 1}, {64, 1, 1}, pack(data));
    REQUIRE(record.error == vgpu::LaunchError::none);
    REQUIRE(record.faults.empty());
    const Words result = gpu.download<std::uint32_t>(data, 20);
    for (std::uint32_t i = 0; i < 20; ++i) CHECK(result[i] == (i + 3) % 20 * 100 + 3);
    counts.push_back(static_cast<std::uint32_t>(record.counters.warp_instructions));
  }
  CHECK(counts[0] == counts[1]);
}

TEST_CASE("a cooperative launch that does not fit on the device is refused") {
  Gpu gpu(text(""));
  const auto record = cooperate(gpu, {16 * 8 + 1, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0}));
  CHECK(record.error == vgpu::LaunchError::cooperative_too_large);
  CHECK(record.error_detail ==
        "129 blocks in a cooperative launch; this device holds at most 128 at the same time");
  CHECK(cooperate(gpu, {16 * 8, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0})).error == vgpu::LaunchError::none);
}

TEST_CASE("without a cooperative launch there is no grid to synchronise") {
  Gpu gpu(text(kGridSync));
  gpu.fault(FaultKind::trap, "k", {2, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0}));
}

TEST_CASE("a block can wait for a later block in an ordinary launch") {
  // Block i waits for block i + 1's flag, then sets its own to that plus one.
  Gpu gpu(text(R"(
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; mov.u32 %r6, 0;
    add.u32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, %r3; @%p1 bra SET;
    SPIN: ld.volatile.global.u32 %r6, [%rd3+4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra SPIN;
    SET: add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd3], %r6;)"));
  const auto data = gpu.zeros<std::uint32_t>(100);
  gpu.run("k", {100, 1, 1}, {1, 1, 1}, pack(data));
  const Words result = gpu.download<std::uint32_t>(data, 100);
  for (std::uint32_t i = 0; i < 100; ++i) CHECK(result[i] == 100 - i);
}

TEST_CASE("a chain of waiting blocks is resolved in few turns, in either direction") {
  // Block i waits for block i + 1, then block i waits for block i - 1, whose flag is set later.
  for (const char* const order : {"mov.u32 %r7, %r2;", "sub.u32 %r7, %r3, %r2; sub.u32 %r7, %r7, 1;"}) {
    Gpu gpu(text(std::string(order) + R"(
      mul.wide.u32 %rd2, %r7, 4; add.u64 %rd3, %rd1, %rd2; mov.u32 %r6, 0;
      add.u32 %r4, %r7, 1; setp.eq.u32 %p1, %r4, %r3; @!%p1 bra SPIN;
      LAST: atom.global.add.u32 %r8, [%rd1+512], 0; setp.lt.u32 %p3, %r8, 127; @%p3 bra LAST; bra SET;
      SPIN: red.global.add.u32 [%rd1+512], 1;
      LOOK: ld.volatile.global.u32 %r6, [%rd3+4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra LOOK;
      SET: add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd3], %r6;)"));
    const auto data = gpu.zeros<std::uint32_t>(129);
    const auto record = gpu.launch("k", {128, 1, 1}, {1, 1, 1}, pack(data));
    CHECK(record.faults.empty());
    CHECK(record.blocks_wait);
    CHECK(gpu.download<std::uint32_t>(data, 1)[0] == 128);
    CHECK(record.counters.warp_instructions <
          std::uint64_t{128} * 800);  // by rounds of all blocks: 128 x 6,000
  }
}

TEST_CASE("a block that waits for a count is not passed over while another one counts without a result") {
  Gpu gpu(text(R"(
    setp.eq.u32 %p1, %r2, 0; @%p1 bra COUNT;
    LOOK: ld.volatile.global.u32 %r6, [%rd1+4]; setp.lt.u32 %p2, %r6, 5000; @%p2 bra LOOK;
    mov.u32 %r5, 1; st.volatile.global.u32 [%rd1], %r5; bra END;
    COUNT: red.global.add.u32 [%rd1+4], 1; ld.volatile.global.u32 %r6, [%rd1];
    setp.eq.u32 %p3, %r6, 0; @%p3 bra COUNT;
    END:)"));
  const auto data = gpu.zeros<std::uint32_t>(2);
  CHECK(gpu.launch("k", {2, 1, 1}, {1, 1, 1}, pack(data)).faults.empty());
  CHECK(gpu.download<std::uint32_t>(data, 2)[1] >= 5000);
}

TEST_CASE("blocks that wait for a block that cannot be resident yet never end") {
  vgpu::DeviceOptions options;
  options.step_limit = 1'000'000;
  Gpu gpu(text(R"(
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
    setp.eq.u32 %p1, %r2, 128; @%p1 bra SET;
    SPIN: ld.volatile.global.u32 %r6, [%rd1+512]; setp.eq.u32 %p2, %r6, 0; @%p2 bra SPIN;
    SET: mov.u32 %r6, 1; st.volatile.global.u32 [%rd3], %r6;)"),
          options);
  // The lecture's device holds 128 blocks.
  gpu.fault(FaultKind::step_limit, "k", {129, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(129)));
}

TEST_CASE("a launch in which all threads wait in vain ends before the step limit") {
  vgpu::DeviceOptions options;
  options.step_limit = std::uint64_t{1} << 26U;
  Gpu gpu(
      text(".loc 1 7 1\nSPIN: ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p2, %r6, 0; @%p2 bra SPIN;"),
      options);
  const auto record = gpu.launch("k", {3, 1, 1}, {64, 1, 1}, pack(gpu.zeros<std::uint32_t>(1)));
  REQUIRE(record.faults.size() == 1);
  CHECK(record.faults[0].kind == FaultKind::step_limit);
  CHECK(record.faults[0].source.line == 7);
  CHECK(record.faults[0].detail == vgpu::kWaitsInVain);
  CHECK(record.counters.warp_instructions < 10'000);  // ten turns of each block
}

TEST_CASE("a launch whose waiting threads occasionally read new values is not stopped") {
  // Three million polls of a flag that is never set, alternating with a counter; 2^20 in a row would be too
  // many.
  vgpu::DeviceOptions options;
  options.step_limit = std::uint64_t{1} << 26U;
  Gpu gpu(text(R"(
    LOOK: ld.volatile.global.u32 %r6, [%rd1]; atom.global.add.u32 %r5, [%rd1+4], 1;
    setp.lt.u32 %p2, %r5, 3000000; @%p2 bra LOOK;)"),
          options);
  CHECK(gpu.launch("k", {1, 1, 1}, {1, 1, 1}, pack(gpu.zeros<std::uint32_t>(2))).faults.empty());
}

TEST_CASE("a loop that counts ends, however often it reads the same value") {
  vgpu::DeviceOptions options;
  options.step_limit = std::uint64_t{1} << 26U;  // 65,536 polls in vain
  Gpu gpu(text(R"(
    mov.u32 %r5, 0;
    LOOK: ld.volatile.global.u32 %r6, [%rd1]; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 300000; @%p2 bra LOOK;
    st.global.u32 [%rd1+4], %r5;)"),
          options);
  const auto data = gpu.zeros<std::uint32_t>(2);
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(data));
  CHECK(gpu.download<std::uint32_t>(data, 2) == Words{0, 300000});
}

TEST_CASE("warps of a block can wait for each other through shared memory") {
  Gpu gpu(text(R"(
    .shared .align 4 .b8 flag[4]; mov.u32 %r4, 0; st.shared.u32 [flag], %r4; bar.sync 0;
    setp.ge.u32 %p1, %r1, 32; @%p1 bra SET;
    SPIN: ld.volatile.shared.u32 %r6, [flag]; setp.eq.u32 %p2, %r6, 0; @%p2 bra SPIN;
    bra STORE;
    SET: mov.u32 %r6, 7; st.volatile.shared.u32 [flag], %r6;
    STORE: mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r6;)"));
  const auto data = gpu.zeros<std::uint32_t>(64);
  gpu.run("k", {1, 1, 1}, {64, 1, 1}, pack(data));
  CHECK(gpu.download<std::uint32_t>(data, 64) == Words(64, 7));
}

TEST_CASE("lanes of one warp can take a lock in turn") {
  // The winner's lanes wait after the loop for those that still spin, and must continue without them.
  Gpu gpu(text(R"(
    SPIN: atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra SPIN;
    ld.volatile.global.u32 %r5, [%rd1+4]; add.u32 %r5, %r5, 1; st.volatile.global.u32 [%rd1+4], %r5;
    atom.global.exch.b32 %r6, [%rd1], 0;)"));
  const auto data = gpu.zeros<std::uint32_t>(2);
  gpu.run("k", {3, 1, 1}, {64, 1, 1}, pack(data));
  CHECK(gpu.download<std::uint32_t>(data, 2) == Words{0, 192});
}

TEST_CASE("a thread that sleeps lets the others run") {
  Gpu gpu(text(R"(
    .shared .align 4 .b8 flag[4]; mov.u32 %r4, 0; st.shared.u32 [flag], %r4; bar.sync 0;
    setp.ge.u32 %p1, %r1, 32; @%p1 bra SET;
    SPIN: nanosleep.u32 20; ld.shared.u32 %r6, [flag]; setp.eq.u32 %p2, %r6, 0; @%p2 bra SPIN;
    bra STORE;
    SET: mov.u32 %r6, 7; st.shared.u32 [flag], %r6;
    STORE: mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r6;)"));
  const auto data = gpu.zeros<std::uint32_t>(64);
  gpu.run("k", {1, 1, 1}, {64, 1, 1}, pack(data));
  CHECK(gpu.download<std::uint32_t>(data, 64) == Words(64, 7));
}

TEST_CASE("a sum over blocks by decoupled look-back is right in any order") {
  // Block i adds its number to what block i - 1 published.
  Gpu gpu(text(R"(
    setp.ne.u32 %p1, %r1, 0; @%p1 ret;
    atom.global.add.u32 %r2, [%rd1], 1;
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; mov.u32 %r6, 1; setp.eq.u32 %p2, %r2, 0; @%p2 bra SET;
    SPIN: ld.acquire.gpu.global.u32 %r6, [%rd3]; setp.eq.u32 %p3, %r6, 0; @%p3 bra SPIN;
    SET: add.u32 %r6, %r6, %r2; st.release.gpu.global.u32 [%rd3+4], %r6;)"));
  const auto data = gpu.zeros<std::uint32_t>(301);
  gpu.run("k", {300, 1, 1}, {64, 1, 1}, pack(data));
  const Words result = gpu.download<std::uint32_t>(data, 301);
  for (std::uint32_t i = 0; i < 300; ++i) CHECK(result[i + 1] == 1 + i * (i + 1) / 2);
}

}  // namespace spinning_test
