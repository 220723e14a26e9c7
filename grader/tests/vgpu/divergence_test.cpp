// Shapes of divergent control flow: the right lanes run, they meet again, and the branches are counted.
#include "vgpu/gpu.hpp"

namespace divergence_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Counters;

namespace {

using Words = std::vector<std::uint32_t>;

struct Run {
  Words values;
  Counters counters;
};

/// Runs `body` in one block; it has the thread in %r1, the mask of lanes that are together from activemask
/// where it asks, and leaves its value in %r9. The common end stores it.
Run run(const std::string& body, std::uint32_t threads = 32) {
  Gpu gpu(kernel_text(".param .u64 out", R"(
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; mov.u32 %r9, 0;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
)" + body + "\nEND: st.global.u32 [%rd1], %r9; ret;"));
  const auto out = gpu.upload(Words(threads, 99));
  const auto record = gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(out));
  return {gpu.download<std::uint32_t>(out, threads), record.counters};
}

template <class F>
void check_values(const Run& result, F expected) {
  for (std::uint32_t i = 0; i < result.values.size(); ++i) {
    INFO("thread " << i);
    CHECK(result.values[i] == static_cast<std::uint32_t>(expected(i)));
  }
}

}  // namespace

TEST_CASE("both sides of a branch run and their lanes meet after it") {
  const Run result = run(R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra THEN;
    mov.u32 %r9, 1000; bra JOIN;
    THEN: mov.u32 %r9, 2000;
    JOIN: activemask.b32 %r2; popc.b32 %r2, %r2; add.u32 %r9, %r9, %r2;)");
  check_values(result, [](std::uint32_t i) { return (i < 10 ? 2000 : 1000) + 32; });
  CHECK(result.counters.branches == 1);
  CHECK(result.counters.divergent_branches == 1);
}

TEST_CASE("a uniform branch does not diverge") {
  const Run result = run("setp.lt.u32 %p1, %r1, 100; @!%p1 bra END; mov.u32 %r9, 5;");
  check_values(result, [](std::uint32_t) { return 5U; });
  CHECK(result.counters.branches == 1);
  CHECK(result.counters.divergent_branches == 0);
}

TEST_CASE("nested branches meet from the inside out") {
  const Run result = run(R"(
    and.b32 %r2, %r1, 1; and.b32 %r3, %r1, 2;
    setp.ne.u32 %p1, %r2, 0; setp.ne.u32 %p2, %r3, 0;
    @%p1 bra ODD;
    mov.u32 %r9, 1;
    bra JOIN;
    ODD:
    @%p2 bra ODD2;
    add.u32 %r9, %r9, 10;
    bra INNER;
    ODD2: add.u32 %r9, %r9, 20;
    INNER: activemask.b32 %r4; popc.b32 %r4, %r4; mad.lo.u32 %r9, %r4, 100, %r9;
    JOIN: activemask.b32 %r5; popc.b32 %r5, %r5; mad.lo.u32 %r9, %r5, 10000, %r9;)");
  check_values(result,
               [](std::uint32_t i) { return 320000 + (i % 2 == 0 ? 1 : 1600 + (i % 4 == 1 ? 10 : 20)); });
  CHECK(result.counters.divergent_branches == 2);
}

TEST_CASE("each lane has its own number of iterations, and all lanes meet after the loop") {
  const Run result = run(R"(
    mov.u32 %r2, 0;
    LOOP: setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    add.u32 %r9, %r9, %r2; add.u32 %r2, %r2, 1;
    bra LOOP;
    DONE: activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.u32 %r9, %r3, 1000, %r9;)");
  check_values(result, [](std::uint32_t i) { return 32000 + i * (i - 1) / 2; });
  CHECK(result.counters.branches == 32);
  CHECK(result.counters.divergent_branches == 31);  // one lane leaves each time, the last ones together
}

TEST_CASE("break and continue leave and shorten iterations of single lanes") {
  const Run result = run(R"(
    mov.u32 %r2, 0;
    LOOP: add.u32 %r2, %r2, 1;
    setp.gt.u32 %p1, %r2, 20; @%p1 bra DONE;
    and.b32 %r3, %r2, %r1; setp.eq.u32 %p2, %r3, 0; @%p2 bra LOOP;
    add.u32 %r9, %r9, 1;
    setp.ge.u32 %p3, %r9, 5; @%p3 bra DONE;
    bra LOOP;
    DONE: activemask.b32 %r4; popc.b32 %r4, %r4; mad.lo.u32 %r9, %r4, 1000, %r9;)");
  check_values(result, [](std::uint32_t i) {
    std::uint32_t hits = 0;
    for (std::uint32_t n = 1; n <= 20 && hits < 5; ++n) hits += (n & i) != 0 ? 1 : 0;
    return 32000 + hits;
  });
}

TEST_CASE("an early return ends its lanes and no others wait for them") {
  const Run result = run(R"(
    setp.ge.u32 %p1, %r1, 20; @%p1 bra GONE;
    setp.lt.u32 %p2, %r1, 4; @%p2 bra SMALL;
    add.u32 %r9, %r9, 7;
    SMALL: activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r9, %r2, 100, %r9;
    bra END;
    GONE: ret;)");
  check_values(result, [](std::uint32_t i) { return i >= 20 ? 99 : 2000 + (i < 4 ? 0 : 7); });
}

TEST_CASE("guarded returns and guarded instructions touch their lanes only") {
  const Run result = run(R"(
    setp.lt.u32 %p1, %r1, 8;
    mov.u32 %r9, 1;
    @%p1 add.u32 %r9, %r9, 10;
    @!%p1 add.u32 %r9, %r9, 20;
    setp.eq.u32 %p2, %r1, 3;
    @%p2 ret;
    activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r9, %r2, 100, %r9;)");
  check_values(result, [](std::uint32_t i) { return i == 3 ? 99 : 3100 + (i < 8 ? 11 : 21); });
}

TEST_CASE("threads count for a guarded instruction only where its guard holds") {
  const Counters with = run("setp.lt.u32 %p1, %r1, 8; @%p1 add.u32 %r9, %r9, 10;").counters;
  const Counters without = run("setp.lt.u32 %p1, %r1, 8;").counters;
  CHECK(with.warp_instructions == without.warp_instructions + 1);
  CHECK(with.thread_instructions == without.thread_instructions + 8);
}

TEST_CASE("a switch sends lanes to many targets and all meet again") {
  const Run result = run(R"(
    and.b32 %r2, %r1, 3;
    TABLE: .branchtargets CASE0, CASE1, CASE2, CASE3;
    brx.idx %r2, TABLE;
    CASE0: mov.u32 %r9, 10; bra JOIN;
    CASE1: mov.u32 %r9, 11; bra JOIN;
    CASE2: mov.u32 %r9, 12;
    CASE3: add.u32 %r9, %r9, 13;
    JOIN: activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.u32 %r9, %r3, 100, %r9;)");
  constexpr std::uint32_t kValue[] = {10, 11, 25, 13};
  check_values(result, [&](std::uint32_t i) { return 3200 + kValue[i % 4]; });
}

TEST_CASE("lanes beyond the end of a block do not run") {
  const Run result = run("activemask.b32 %r9;", 37);
  check_values(result, [](std::uint32_t i) { return i < 32 ? 0xFFFFFFFF : 0x1F; });
}

TEST_CASE("a return inside a branch does not prevent the others from meeting") {
  const Run result = run(R"(
    setp.lt.u32 %p1, %r1, 16; @!%p1 bra REST;
    setp.lt.u32 %p2, %r1, 4; @%p2 bra GONE;
    mov.u32 %r9, 1;
    REST: activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r9, %r2, 100, %r9;
    bra END;
    GONE: exit;)");
  check_values(result, [](std::uint32_t i) { return i < 4 ? 99U : 2800U + (i < 16 ? 1 : 0); });
}

}  // namespace divergence_test
