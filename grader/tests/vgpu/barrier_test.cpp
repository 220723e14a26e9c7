// Barriers: programs that must pass, programs that cannot, and the reported places of waiting threads.
#include "vgpu/gpu.hpp"

namespace barrier_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Dim3;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

using Words = std::vector<std::uint32_t>;

std::string text(const std::string& body) {
  return kernel_text(".param .u64 out", R"(
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<4>; .shared .align 4 .b8 s[4096];
    mov.u32 %r1, %tid.x; mov.u32 %r9, 0;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
    shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;
)" + body + "\nEND: st.global.u32 [%rd1], %r9; ret;");
}

Words values(const std::string& body, std::uint32_t threads) {
  Gpu gpu(text(body));
  const auto out = gpu.upload(Words(threads, 99));
  gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(out));
  return gpu.download<std::uint32_t>(out, threads);
}

Fault fault(FaultKind kind, const std::string& body, std::uint32_t threads) {
  Gpu gpu(text(body));
  return gpu.fault(kind, "k", {1, 1, 1}, {threads, 1, 1}, pack(gpu.zeros<std::uint32_t>(threads)));
}

}  // namespace

TEST_CASE("writes before a barrier are visible after it") {
  const Words result = values(R"(
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    mov.u32 %r4, %ntid.x; sub.u32 %r4, %r4, 1; sub.u32 %r4, %r4, %r1; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r3;
    ld.shared.u32 %r9, [%r4];)",
                              256);
  for (std::uint32_t i = 0; i < 256; ++i) CHECK(result[i] == 255 - i);
}

TEST_CASE("a barrier in the last loop of a kernel, whose only way out is a return, is reached together") {
  // while (__syncthreads_or(r9 > 0)) if (r9 > 0) out = --r9;
  const Words result = values(R"(
    and.b32 %r9, %r1, 3;
    st.global.u32 [%rd1], %r9;
    bra.uni HEAD;
    BODY: sub.u32 %r9, %r9, 1;
    st.global.u32 [%rd1], %r9;
    HEAD: setp.gt.s32 %p1, %r9, 0;
    bar.red.or.pred %p2, 0, %p1;
    @!%p2 bra OUT;
    setp.lt.s32 %p3, %r9, 1;
    @%p3 bra HEAD;
    bra.uni BODY;
    OUT: ret;)",
                              128);
  CHECK(result == Words(128, 0));
}

TEST_CASE("threads that have returned do not take part in barriers") {
  const Words result = values(R"(
    setp.ge.u32 %p1, %r1, 70;
    @%p1 bra GONE;
    bar.sync 0;
    mov.u32 %r9, 5;
    bar.sync 0;
    bra END;
    GONE: ret;)",
                              128);
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(result[i] == (i < 70 ? 5 : 99));
}

TEST_CASE("a branch that whole warps take can contain a barrier") {
  const Words result = values(R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra FIRST;
    bar.sync 0;
    mov.u32 %r9, 2;
    bra END;
    FIRST: bar.sync 0;
    mov.u32 %r9, 1;)",
                              64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[i] == (i < 32 ? 1 : 2));
}

TEST_CASE("the fault of a barrier that only part of a warp reaches lists the waiting threads") {
  const Fault found = fault(FaultKind::divergent_barrier, R"(
    setp.lt.u32 %p1, %r1, 10;
    @!%p1 bra JOIN;
    .loc 1 20 5
    bar.sync 0;
    .loc 1 22 3
    JOIN: add.u32 %r9, %r9, 1;)",
                            32);
  CHECK(found.source.line == 20);
  CHECK(found.count == 10);
  CHECK(found.thread == Dim3{0, 0, 0});
  REQUIRE(found.waiting.size() == 2);
  CHECK(found.waiting[0].at_barrier);
  CHECK(found.waiting[0].threads == 10);
  CHECK(found.waiting[0].source.line == 20);
  CHECK_FALSE(found.waiting[1].at_barrier);
  CHECK(found.waiting[1].threads == 22);
  CHECK(found.waiting[1].first_thread == Dim3{10, 0, 0});
  CHECK(found.waiting[1].source.line == 22);
  CHECK(found.waiting[1].file == "test.cu");
}

TEST_CASE("two barriers on the two sides of a branch do not synchronise a divergent warp") {
  const Fault found = fault(FaultKind::divergent_barrier, R"(
    setp.lt.u32 %p1, %r1, 40;
    @%p1 bra THEN;
    .loc 1 31 1
    bar.sync 0; bra END;
    THEN:
    .loc 1 33 1
    bar.sync 0;)",
                            64);
  REQUIRE(found.waiting.size() == 2);
  CHECK(found.waiting[0].threads + found.waiting[1].threads == 32);
  CHECK((found.waiting[0].at_barrier && found.waiting[1].at_barrier));
}

TEST_CASE("lanes may arrive at barrier.sync one after another") {
  const Words result = values(R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra THEN;
    barrier.sync 0; mov.u32 %r9, 1; bra END;
    THEN: barrier.sync 0; mov.u32 %r9, 2;)",
                              64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[i] == (i < 10 ? 2 : 1));
}

TEST_CASE("warps that wait at different barriers wait forever") {
  const Fault found = fault(FaultKind::barrier_deadlock, R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra THEN;
    .loc 1 41 1
    bar.sync 1; bra END;
    THEN:
    .loc 1 43 1
    bar.sync 2;)",
                            96);
  CHECK(found.count == 96);
  REQUIRE(found.waiting.size() == 2);
  CHECK(found.waiting[0].source.line == 43);
  CHECK(found.waiting[0].threads == 32);
  CHECK(found.waiting[1].source.line == 41);
  CHECK(found.waiting[1].threads == 64);
  CHECK(found.waiting[1].first_thread == Dim3{32, 0, 0});
}

TEST_CASE("a barrier for some of the threads does not wait for the others") {
  const Words result = values(R"(
    setp.ge.u32 %p1, %r1, 64;
    @%p1 bra OTHERS;
    st.shared.u32 [%r2], %r1;
    bar.sync 1, 64;
    xor.b32 %r4, %r2, 128; ld.shared.u32 %r9, [%r4];
    OTHERS: bar.sync 0;)",
                              96);
  for (std::uint32_t i = 0; i < 96; ++i) CHECK(result[i] == (i < 64 ? (i ^ 32) : 0));
}

TEST_CASE("a barrier for fewer threads than reach it is filled several times") {
  const std::string vote = "setp.lt.u32 %p1, %r1, 40; bar.red.popc.u32 %r9, 1, ";
  const Words pairs = values(vote + "64, %p1;", 128), all = values(vote + "128, %p1;", 128);
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(pairs[i] == (i < 64 ? 40 : 0));
  for (const std::uint32_t value : all) CHECK(value == 40);
  // The last warp finds no others that fill the barrier with it.
  fault(FaultKind::barrier_deadlock, "bar.sync 1, 64;", 96);
}

TEST_CASE("a barrier that more threads should reach than there are is a deadlock") {
  fault(FaultKind::barrier_deadlock, "bar.sync 1, 128;", 64);
}

TEST_CASE("every arrival of a warp is counted") {
  Gpu gpu(text("bar.sync 0; bar.sync 0;"));
  const auto record = gpu.run("k", {3, 1, 1}, {100, 1, 1}, pack(gpu.zeros<std::uint32_t>(100)));
  CHECK(record.counters.barriers == 3 * 4 * 2);
}

TEST_CASE("bar.red counts and joins the predicates of all threads of the block") {
  const Words result = values(R"(
    setp.lt.u32 %p1, %r1, 37; setp.lt.u32 %p2, %r1, 100; setp.eq.u32 %p3, %r1, 200;
    barrier.cta.red.popc.aligned.u32 %r4, 0, %p1;
    bar.red.popc.u32 %r5, 0, !%p1;
    bar.red.and.pred %p4, 0, %p2; bar.red.and.pred %p5, 0, !%p3;
    barrier.red.or.pred %p6, 0, %p1; bar.red.or.pred %p7, 0, %p3;
    mad.lo.u32 %r9, %r5, 1000, %r4;
    @%p4 add.u32 %r9, %r9, 100000; @%p5 add.u32 %r9, %r9, 200000;
    @%p6 add.u32 %r9, %r9, 400000; @%p7 add.u32 %r9, %r9, 800000;)",
                              90);
  for (const std::uint32_t value : result) CHECK(value == 37 + 53 * 1000 + 700000);
}

TEST_CASE("bar.sync and bar.red, or two operations of bar.red, must not meet at one barrier") {
  const std::string other = "setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER; bar.sync 0; bra END; OTHER: ";
  for (const std::string barrier : {"bar.red.or.pred %p2, 0, %p1;", "bar.red.popc.u32 %r4, 0, %p1;"}) {
    const Fault mixed = fault(FaultKind::barrier_deadlock, other + barrier, 64);
    CHECK(mixed.detail == vgpu::kMixedBarriers);
    REQUIRE(mixed.waiting.size() == 1);  // the text has no lines
    CHECK(mixed.waiting[0].threads == 64);
  }
  // Of one kind, and at two barriers.
  CHECK(values(other + "bar.sync 0;", 64) == Words(64, 0));
  const std::string two = "setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER; bar.sync 1, 32; bra END; OTHER: ";
  CHECK(values(two + "bar.red.or.pred %p2, 2, 32, %p1;", 64) == Words(64, 0));
}

TEST_CASE("bar.red includes the threads that have not exited") {
  const Words result = values(R"(
    setp.ge.u32 %p1, %r1, 40; @%p1 exit;
    setp.lt.u32 %p2, %r1, 64; bar.red.popc.u32 %r9, 0, %p2; bar.red.and.pred %p3, 0, %p2; @%p3 add.u32 %r9, %r9, 1000;)",
                              128);
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(result[i] == (i < 40 ? 1040 : 99));
}

TEST_CASE("lanes of a warp can reach barrier.red on several paths") {
  const Words result = values(R"(
    setp.lt.u32 %p1, %r1, 10; setp.lt.u32 %p2, %r1, 40;
    @%p1 bra THEN;
    barrier.red.popc.u32 %r9, 3, %p2; bra END;
    THEN: barrier.red.popc.u32 %r9, 3, %p2; add.u32 %r9, %r9, 100;)",
                              64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[i] == (i < 10 ? 140 : 40));
}

TEST_CASE("producers that arrive do not wait for consumers that sync") {
  // Warp 0 fills a slot and continues with the next when warp 1 has emptied it.
  const Words result = values(R"(
    mov.u32 %r5, 0;
    setp.ge.u32 %p1, %r1, 32; @%p1 bra CONSUME;
    PRODUCE: barrier.sync 1, 64;
    add.u32 %r6, %r5, %r1; st.shared.u32 [%r2], %r6;
    barrier.arrive 2, 64;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 5; @%p2 bra PRODUCE;
    bra END;
    CONSUME: bar.arrive 1, 64;
    bar.sync 2, 64;
    ld.shared.u32 %r6, [%r2+-128]; mad.lo.u32 %r9, %r9, 2, %r6;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 5; @%p2 bra CONSUME;)",
                              64);
  for (std::uint32_t i = 32; i < 64; ++i) CHECK(result[i] == (i - 32) * 31 + 26);
}

TEST_CASE("arrivals stay when a thread exits, and a phase without waiting threads ends immediately") {
  const Words result = values(R"(
    setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHERS;
    bar.arrive 1, 64; bar.arrive 1, 64; bar.arrive 1, 64; exit;
    OTHERS: bar.sync 1, 64; mov.u32 %r9, 1;)",
                              64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[i] == (i < 32 ? 99 : 1));
}

TEST_CASE("a warp can wait at several barriers at the same time if none of them is aligned") {
  const Words result = values(R"(
    setp.lt.u32 %p1, %r1, 64; @%p1 bra FIRST;
    barrier.arrive 5, 32; barrier.arrive 6, 32; bra END;
    FIRST: and.b32 %r4, %r1, 1; add.u32 %r4, %r4, 5;
    barrier.sync %r4, 64;
    mov.u32 %r9, %r4;)",
                              96);
  for (std::uint32_t i = 0; i < 96; ++i) CHECK(result[i] == (i < 64 ? 5 + i % 2 : 0));
}

TEST_CASE("warps that wait for the whole block at different barriers are reported, once for the lines") {
  const auto findings = [](const std::string& body) {
    Gpu gpu(text(body), {.checks = vgpu::Checks::all()});
    return gpu.run("k", {2, 1, 1}, {128, 1, 1}, pack(gpu.zeros<std::uint32_t>(128))).findings;
  };
  const std::string parted = R"(
    setp.lt.u32 %p1, %r1, LIMIT; @%p1 bra FIRST;
    .loc 1 50 1
    BARRIER;
    bra END;
    FIRST:
    .loc 1 60 1
    BARRIER;)";
  const auto with = [&](std::string limit, const std::string& barrier) {
    std::string body = parted;
    body.replace(body.find("LIMIT"), 5, limit);
    for (std::size_t at; (at = body.find("BARRIER")) != std::string::npos;) body.replace(at, 7, barrier);
    return body;
  };
  const auto found = findings(with("64", "bar.sync 0"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FaultKind::parted_barriers);
  CHECK(found[0].source.line == 60);
  CHECK(found[0].thread.x == 0);
  REQUIRE(found[0].other);
  CHECK(found[0].other->source.line == 50);
  CHECK(found[0].other->thread.x == 64);
  CHECK(findings(with("64", "bar.red.popc.u32 %r9, 0, %p1")).size() == 1);
  // All threads of the block take one branch; barriers that PTX allows anywhere; some of the block's threads.
  CHECK(findings(with("0", "bar.sync 0")).empty());
  CHECK(findings(with("128", "bar.sync 0")).empty());
  CHECK(findings(with("64", "barrier.sync 0")).empty());
  CHECK(findings(with("64", "bar.sync 1, 64")).empty());
}

TEST_CASE("a barrier that does not exist, or waits for part of a warp, is named") {
  CHECK(fault(FaultKind::invalid_barrier, "mov.u32 %r4, 16; add.u32 %r4, %r4, 1; barrier.sync %r4;", 32)
            .detail == "there is no barrier 17: a block has 16");
  CHECK(fault(FaultKind::invalid_barrier, "bar.sync 1, 33;", 64).detail ==
        "it waits for 33 threads, which is not a multiple of 32");
}

TEST_CASE("a wait that no thread ends is a deadlock that lists the waiting threads") {
  const Fault found = fault(FaultKind::divergent_barrier, R"(
    setp.lt.u32 %p1, %r1, 10; @!%p1 bra JOIN;
    .loc 1 50 1
    barrier.sync 1;
    .loc 1 51 1
    JOIN: add.u32 %r9, %r9, 1;)",
                            64);
  REQUIRE(found.waiting.size() == 2);
  CHECK(found.waiting[0].source.line == 50);
  CHECK(found.waiting[0].threads == 10);
  CHECK(found.waiting[1].source.line == 51);
  CHECK(found.waiting[1].threads == 22);
}

TEST_CASE("the barrier of a cluster of one block is one of the block") {
  const Words result = values(R"(
    st.shared.u32 [%r2], %r1;
    barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
    xor.b32 %r4, %r2, 128; ld.shared.u32 %r9, [%r4];
    mov.u32 %r5, %cluster_nctaid.x; mov.u32 %r6, %cluster_ctarank; mov.u32 %r7, %nclusterid.x; mov.u32 %r8, %clusterid.x;
    sub.u32 %r5, %r5, 1; add.u32 %r9, %r9, %r5; add.u32 %r9, %r9, %r6; sub.u32 %r7, %r7, 1; add.u32 %r9, %r9, %r7;
    add.u32 %r9, %r9, %r8;)",
                              64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[i] == (i ^ 32));
}

TEST_CASE("elect.sync chooses the lowest lane of its mask") {
  const Words result = values(R"(
    setp.ge.u32 %p1, %r1, 5; @!%p1 bra END;
    elect.sync %r9|%p2, 0xffffffe0; @%p2 add.u32 %r9, %r9, 100;
    elect.sync _|%p3, 0xffffffe0; @%p3 add.u32 %r9, %r9, 1000;)",
                              32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (i < 5 ? 0 : i == 5 ? 1105 : 5));
}

TEST_CASE("hints have no effect") {
  const Words result = values(R"(
    setmaxnreg.inc.sync.aligned.u32 96; griddepcontrol.launch_dependents; griddepcontrol.wait; pmevent 3;
    prefetch.global.L2 [%rd1]; applypriority.global.L2::evict_normal [%rd1], 128; brkpt;
    fence.proxy.async; membar.gl; fence.acq_rel.gpu; mov.u32 %r9, 1;)",
                              32);
  for (const std::uint32_t value : result) CHECK(value == 1);
}

}  // namespace barrier_test
