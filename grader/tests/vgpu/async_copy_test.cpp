// cp.async: when copies finish, how many bytes they copy, their faults; mbarriers.
#include <numeric>

#include "vgpu/gpu.hpp"

namespace async_copy_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::FaultKind;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// One thread a word: %r1 = thread, %rd1 = its word of `in`, %rd2 = its word of `out`, %r2 = its word of
/// shared memory, which holds 7.
std::string word_kernel(const std::string& body) {
  return kernel_text(".param .u64 out, .param .u64 in", R"(
    .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<10>; .shared .align 16 .b8 tile[1024];
    .shared .align 8 .b64 barrier;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [in]; mad.wide.u32 %rd1, %r1, 4, %rd1;
    ld.param.u64 %rd2, [out]; mad.wide.u32 %rd2, %r1, 4, %rd2;
    mov.u32 %r3, tile; mad.lo.u32 %r2, %r1, 4, %r3;
    mov.u32 %r4, barrier;
    st.shared.u32 [%r2], 7;
)" + body + "\nret;\n");
}

std::vector<u32> counted(std::size_t count) {
  std::vector<u32> values(count);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

std::vector<u32> run_words(const std::string& body, u32 threads = 32) {
  Gpu gpu(word_kernel(body));
  const auto in = gpu.upload(counted(threads));
  const auto out = gpu.zeros<u32>(threads);
  gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(out, in));
  return gpu.download<u32>(out, threads);
}

vgpu::Fault fault_of(FaultKind kind, const std::string& body, u32 threads = 32) {
  Gpu gpu(word_kernel(body));
  const auto in = gpu.upload(counted(threads));
  const auto out = gpu.zeros<u32>(threads);
  return gpu.fault(kind, "k", {1, 1, 1}, {threads, 1, 1}, pack(out, in));
}

}  // namespace

TEST_CASE("the data of a copy arrive at the wait, never before") {
  const std::string copy = "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group;\n";
  const std::string read = "ld.shared.u32 %r5, [%r2]; st.global.u32 [%rd2], %r5;\n";
  CHECK(run_words(copy + read) == std::vector<u32>(32, 7));
  CHECK(run_words(copy + "cp.async.wait_group 1;\n" + read) == std::vector<u32>(32, 7));
  CHECK(run_words(copy + "cp.async.wait_group 0;\n" + read) == counted(32));
  CHECK(run_words(copy + "cp.async.wait_all;\n" + read) == counted(32));
}

TEST_CASE("waiting for groups counts the latest ones, and an open group is none") {
  const auto results = run_words(R"(
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+128], [%rd1], 4;
    cp.async.commit_group;
    st.shared.u32 [%r2+128], 8;
    cp.async.ca.shared.global [%r2+256], [%rd1], 4;
    st.shared.u32 [%r2+256], 9;
    cp.async.wait_group 1;
    ld.shared.u32 %r5, [%r2];
    ld.shared.u32 %r6, [%r2+128];
    cp.async.wait_group 0;
    ld.shared.u32 %r7, [%r2+128];
    ld.shared.u32 %r8, [%r2+256];
    setp.eq.u32 %p1, %r6, 8;
    setp.eq.and.u32 %p1, %r7, %r5, %p1;
    setp.eq.and.u32 %p1, %r8, 9, %p1;
    @!%p1 mov.u32 %r5, 0;
    st.global.u32 [%rd2], %r5;)");
  CHECK(results == counted(32));
}

TEST_CASE("a copy counts as a load of global and as a store to shared memory") {
  const auto counters_of = [](const std::string& body) {
    Gpu gpu(word_kernel(body));
    const auto in = gpu.upload(counted(32));
    const auto out = gpu.zeros<u32>(32);
    return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(out, in)).counters;
  };
  const vgpu::Counters plain = counters_of("");  // stores 7 to each word
  const vgpu::Counters side_by_side = counters_of("cp.async.ca.shared.global [%r2], [%rd1], 4;");
  CHECK(side_by_side.global_loads == vgpu::SectorTraffic{1, 4, 128});
  CHECK(side_by_side.shared_stores.requests == plain.shared_stores.requests + 1);
  CHECK(side_by_side.shared_stores.wavefronts == plain.shared_stores.wavefronts + 1);
  CHECK(side_by_side.shared_stores.merged_wavefronts == plain.shared_stores.merged_wavefronts + 1);
  CHECK(side_by_side.shared_stores.requested_bytes == plain.shared_stores.requested_bytes + 128);
  CHECK(side_by_side.shared_stores.bank_conflicts == 0);
  CHECK(side_by_side.cache.dram_read_bytes == 128);
  // 8 different words of one bank.
  const vgpu::Counters in_one_bank = counters_of(R"(
    and.b32 %r5, %r1, 7; mad.lo.u32 %r5, %r5, 128, %r3;
    cp.async.ca.shared.global [%r5], [%rd1], 4;
    cp.async.wait_all;
    cp.async.ca.shared.global [%r2], [%rd1], 4;)");
  CHECK(in_one_bank.shared_stores.bank_conflicts == 7);
  CHECK(in_one_bank.shared_stores.wavefronts == plain.shared_stores.wavefronts + 8 + 1);
}

TEST_CASE("each thread waits for its own copies") {
  const auto results = run_words(R"(
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.commit_group;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 cp.async.wait_all;
    bar.sync 0;
    ld.shared.u32 %r5, [%r2]; st.global.u32 [%rd2], %r5;)");
  for (u32 i = 0; i < 32; ++i) CHECK(results[i] == (i < 8 ? 100 + i : 7));
}

TEST_CASE("bytes that a copy does not read become zero, and their memory need not exist") {
  Gpu gpu(kernel_text(".param .u64 out, .param .u64 in", R"(
    .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<10>; .shared .align 16 .b8 tile[1024];
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mad.wide.u32 %rd2, %r1, 16, %rd2;
    mov.u32 %r3, tile; mad.lo.u32 %r2, %r1, 16, %r3;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mov.u64 %rd1, 0;
    cp.async.cg.shared.global.L2::128B [%r2], [%rd1], 16, %r1;
    cp.async.wait_all;
    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];
    st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};
    ret;)"));
  // The source has 10 bytes: threads that read no more than that are right.
  const auto in = gpu.upload(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const auto out = gpu.zeros<std::uint8_t>(16 * 11);
  gpu.run("k", {1, 1, 1}, {11, 1, 1}, pack(out, in));
  const auto bytes = gpu.download<std::uint8_t>(out, 16 * 11);
  for (u32 thread = 0; thread < 11; ++thread) {
    for (u32 i = 0; i < 16; ++i) CHECK(bytes[thread * 16 + i] == (i < thread ? i + 1 : 0));
  }
  CHECK(run_words(R"(
    setp.lt.u32 %p1, %r1, 4;
    cp.async.ca.shared.global [%r2], [%rd1], 4, %p1;
    cp.async.wait_all;
    ld.shared.u32 %r5, [%r2]; st.global.u32 [%rd2], %r5;)")[3] == 0);
}

TEST_CASE("a copy from outside an allocation or to outside shared memory is reported") {
  const auto source = fault_of(FaultKind::out_of_bounds, "cp.async.ca.shared.global [%r2], [%rd1+4], 4;");
  CHECK(source.instruction == "cp.async.ca.shared.global");
  CHECK(source.thread == vgpu::Dim3{31, 0, 0});
  CHECK_FALSE(source.is_store);
  const auto target = fault_of(FaultKind::out_of_bounds, "cp.async.ca.shared.global [%r2+2048], [%rd1], 4;");
  CHECK(target.is_store);
  CHECK(target.space == vgpu::ptx::Space::shared);
  CHECK(fault_of(FaultKind::misaligned, "cp.async.cg.shared.global [%r3+8], [%rd1], 16;").is_store);
}

TEST_CASE("threads meet at an mbarrier, phase after phase") {
  // Each phase adds the neighbour's value; 64 threads, two warps.
  const auto results = run_words(R"(
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared::cta.b64 [%r4], 64;
    bar.sync 0;
    st.shared.u32 [%r2], %r1;
    mov.u32 %r6, 0;
LOOP:
    mbarrier.arrive.release.cta.shared::cta.b64 %rd3, [%r4];
WAIT:
    mbarrier.try_wait.shared.b64 %p2, [%r4], %rd3;
    @!%p2 bra WAIT;
    xor.b32 %r7, %r1, 33; mad.lo.u32 %r7, %r7, 4, %r3;
    ld.shared.u32 %r8, [%r7];
    mbarrier.arrive.shared.b64 _, [%r4];
    mov.u32 %r9, 1;
WAIT2:
    mbarrier.test_wait.parity.shared.b64 %p2, [%r4], %r9;
    @!%p2 bra WAIT2;
    add.u32 %r8, %r8, 1;
    st.shared.u32 [%r2], %r8;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p3, %r6, 3;
    @%p3 bra LOOP;
    st.global.u32 [%rd2], %r8;)",
                                 64);
  // Three exchanges with the thread 33 away: each adds one and flips 33.
  for (u32 i = 0; i < 64; ++i) CHECK(results[i] == (i ^ 33U) + 3);
}

TEST_CASE("copies arrive at an mbarrier when a thread tests it") {
  const auto results = run_words(R"(
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%r4], 64;
    bar.sync 0;
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.mbarrier.arrive.shared.b64 [%r4];
    ld.shared.u32 %r6, [%r2];
    mbarrier.arrive.shared.b64 %rd3, [%r4];
WAIT:
    mbarrier.test_wait.shared.b64 %p2, [%r4], %rd3;
    @!%p2 bra WAIT;
    xor.b32 %r7, %r1, 40; mad.lo.u32 %r7, %r7, 4, %r3;
    ld.shared.u32 %r8, [%r7];
    add.u32 %r8, %r8, %r6;
    st.global.u32 [%rd2], %r8;)",
                                 64);
  for (u32 i = 0; i < 64; ++i) CHECK(results[i] == 100 + (i ^ 40U) + 7);
}

TEST_CASE("lanes of one warp wait for copies at different mbarriers in turn") {
  const auto results = run_words(R"(
    and.b32 %r5, %r1, 1; mad.lo.u32 %r5, %r5, 8, %r3; add.u32 %r5, %r5, 512;
    setp.lt.u32 %p1, %r1, 2;
    @%p1 mbarrier.init.shared.b64 [%r5], 32;
    bar.sync 0;
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];
WAIT:
    mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0;
    @!%p2 bra WAIT;
    xor.b32 %r7, %r1, 34; mad.lo.u32 %r7, %r7, 4, %r3;
    ld.shared.u32 %r8, [%r7];
    st.global.u32 [%rd2], %r8;)",
                                 64);
  for (u32 i = 0; i < 64; ++i) CHECK(results[i] == 100 + (i ^ 34U));
}

TEST_CASE("threads that drop out are no longer expected, bytes still are") {
  const auto results = run_words(R"(
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%r4], 32;
    bar.warp.sync -1;
    setp.lt.u32 %p2, %r1, 30;
    @%p2 mbarrier.arrive_drop.shared.b64 _, [%r4];
    @!%p2 mbarrier.arrive.shared.b64 _, [%r4];
    mov.u32 %r9, 0;
    mbarrier.test_wait.parity.shared.b64 %p3, [%r4], 0;
    @%p3 add.u32 %r9, %r9, 1;
    @!%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 8;
    mbarrier.test_wait.parity.shared.b64 %p3, [%r4], 1;
    @!%p3 add.u32 %r9, %r9, 2;
    bar.warp.sync -1;
    @!%p2 mbarrier.complete_tx.shared.b64 [%r4], 8;
    bar.warp.sync -1;
    mbarrier.test_wait.parity.shared.b64 %p3, [%r4], 1;
    @%p3 add.u32 %r9, %r9, 4;
    st.global.u32 [%rd2], %r9;)");
  CHECK(results == std::vector<u32>(32, 7));
}

TEST_CASE("wrong use of an mbarrier is reported") {
  CHECK_THAT(fault_of(FaultKind::invalid_barrier, "mbarrier.arrive.shared.b64 %rd3, [%r4];").detail,
             testing::contains("no mbarrier was initialised"));
  CHECK_THAT(fault_of(FaultKind::invalid_barrier, "mbarrier.init.shared.b64 [%r4], 0;").detail,
             testing::contains("0 arrivals"));
  CHECK_THAT(fault_of(FaultKind::invalid_barrier,
                      "mbarrier.init.shared.b64 [%r4], 2; mbarrier.arrive.shared.b64 %rd3, [%r4], 3;")
                 .detail,
             testing::contains("3 arrivals") && testing::contains("expects 2 more"));
  CHECK(fault_of(FaultKind::out_of_bounds, "mbarrier.init.shared.b64 [%r4+4096], 2;").space ==
        vgpu::ptx::Space::shared);
}

/// A block whose threads arrive at a barrier for `count` arrivals and wait; `before` precedes the arrival.
std::string meeting(u32 count, const std::string& before = "") {
  return "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r4], " + std::to_string(count) +
         ";\n.loc 1 20 1\nbar.sync 0;\n" + before + R"(
.loc 1 21 1
    mbarrier.arrive.shared.b64 %rd3, [%r4];
WAIT:
.loc 1 22 1
    mbarrier.test_wait.shared.b64 %p2, [%r4], %rd3;
    @!%p2 nanosleep.u32 20;
    @!%p2 bra WAIT;
    st.global.u32 [%rd2], %r1;)";
}

TEST_CASE("a block that waits for arrivals that cannot come is a deadlock that names the mbarrier") {
  const vgpu::Fault found = fault_of(FaultKind::barrier_deadlock, meeting(65), 64);
  CHECK(found.variable == "barrier");
  CHECK(found.detail == "64 of the 65 arrivals of its current phase have taken place");
  CHECK(found.source.line == 22);
  CHECK(found.count == 64);
  REQUIRE(found.waiting.size() == 1);
  CHECK(found.waiting[0].source.line == 22);
  CHECK(found.waiting[0].threads == 64);
}

TEST_CASE("with too small a count, a warp misses the end of its phase and waits forever") {
  // Warps 0 and 1 end a phase, and warps 2 and 3 end the next one before warp 0 tests again.
  const vgpu::Fault found = fault_of(FaultKind::barrier_deadlock, meeting(64), 128);
  CHECK(found.detail == "0 of the 64 arrivals of its current phase have taken place");
  CHECK(found.count == 32);
}

TEST_CASE("threads that wait at other barriers are part of the deadlock") {
  const vgpu::Fault found =
      fault_of(FaultKind::barrier_deadlock, meeting(96, "setp.lt.u32 %p3, %r1, 32;\n@%p3 bar.sync 0;\n"), 96);
  REQUIRE(found.waiting.size() == 2);
  CHECK(found.waiting[0].source.line == 20);
  CHECK(found.waiting[0].threads == 32);
  CHECK(found.waiting[1].source.line == 22);
  CHECK(found.waiting[1].threads == 64);
}

TEST_CASE("a thread that sleeps for long before it arrives at an mbarrier is waited for") {
  const std::string late = R"(
    setp.lt.u32 %p3, %r1, 32; @!%p3 bra ARRIVE;
    mov.u32 %r6, 0;
SLEEP:
    nanosleep.u32 1000;
    add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 200000; @%p3 bra SLEEP;
ARRIVE:)";
  // More tests of the other seven warps than a deadlock needs.
  const auto results = run_words(meeting(256, late), 256);
  for (u32 i = 0; i < 256; ++i) CHECK(results[i] == i);
}

TEST_CASE("waiting at an mbarrier that no thread completes ends with the step limit") {
  vgpu::DeviceOptions options;
  options.step_limit = 10000;
  Gpu gpu(word_kernel(R"(
    mbarrier.init.shared.b64 [%r4], 2;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;
    @!%p2 bra WAIT;)"),
          options);
  gpu.fault(FaultKind::step_limit, "k", {1, 1, 1}, {1, 1, 1}, pack(gpu.zeros<u32>(1), gpu.zeros<u32>(1)));
}

}  // namespace async_copy_test
