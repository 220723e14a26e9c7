// Instructions in which the lanes of a warp read each other's values.
#include "vgpu/gpu.hpp"
#include "vgpu/state/unwritten.hpp"

namespace warp_wide_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::FaultKind;

namespace {

using Words = std::vector<std::uint32_t>;

std::string text(const std::string& body, const std::string& before = "") {
  return kernel_text(".param .u64 out", R"(
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x; mov.u32 %r9, 0;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
)" + body + "\nEND: st.global.u32 [%rd1], %r9; ret;",
                     before);
}

Words values(const std::string& body, std::uint32_t threads = 32) {
  Gpu gpu(text(body));
  const auto out = gpu.upload(Words(threads, 99));
  gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(out));
  return gpu.download<std::uint32_t>(out, threads);
}

vgpu::Fault fault_of(const std::string& body) {
  Gpu gpu(text(body));
  return gpu.fault(FaultKind::missing_lanes, "k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(32)));
}

template <class F>
void check(const std::string& body, F expected, std::uint32_t threads = 32) {
  const Words result = values(body, threads);
  for (std::uint32_t i = 0; i < threads; ++i) {
    INFO(body << " in thread " << i);
    CHECK(result[i] == static_cast<std::uint32_t>(expected(i)));
  }
}

}  // namespace

TEST_CASE("shuffles move values up, down, across and from one lane") {
  check("shfl.sync.down.b32 %r9, %r1, 4, 31, -1;", [](std::uint32_t i) { return i + 4 < 32 ? i + 4 : i; });
  check("shfl.sync.up.b32 %r9, %r1, 4, 0, -1;", [](std::uint32_t i) { return i >= 4 ? i - 4 : i; });
  check("shfl.sync.bfly.b32 %r9, %r1, 5, 31, -1;", [](std::uint32_t i) { return i ^ 5; });
  check("shfl.sync.idx.b32 %r9, %r1, 7, 31, -1;", [](std::uint32_t) { return 7U; });
}

TEST_CASE("shuffles stay in their segments and report whether the source is in range") {
  // Width 8: segment mask 0x18 in bits 8 to 12.
  check("shfl.sync.down.b32 %r9|%p1, %r1, 3, 6175, -1; @!%p1 add.u32 %r9, %r9, 100;",
        [](std::uint32_t i) { return i % 8 + 3 < 8 ? i + 3 : i + 100; });
  check("shfl.sync.up.b32 %r9|%p1, %r1, 3, 6144, -1; @!%p1 add.u32 %r9, %r9, 100;",
        [](std::uint32_t i) { return i % 8 >= 3 ? i - 3 : i + 100; });
  check("shfl.sync.idx.b32 %r9, %r1, 2, 6175, -1;", [](std::uint32_t i) { return i / 8 * 8 + 2; });
}

TEST_CASE("votes, ballots and matches include all lanes") {
  check("setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r9, %p1, -1;", [](std::uint32_t) { return 31U; });
  check("setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r9, !%p1, -1;", [](std::uint32_t) { return ~31U; });
  check("setp.lt.u32 %p1, %r1, 5; vote.ballot.sync.b32 %r9, %p1, -1;", [](std::uint32_t) { return 31U; });
  check("setp.lt.u32 %p1, %r1, 5; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t) { return 1U; });
  check("setp.lt.u32 %p1, %r1, 5; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t) { return 0U; });
  check("setp.lt.u32 %p1, %r1, 50; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t) { return 1U; });
  check("setp.lt.u32 %p1, %r1, 5; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t) { return 0U; });
  check("shr.u32 %r2, %r1, 3; match.any.sync.b32 %r9, %r2, -1;",
        [](std::uint32_t i) { return 0xFFU << (i / 8 * 8); });
  check("mov.u32 %r2, 3; match.all.sync.b32 %r9|%p1, %r2, -1; @!%p1 mov.u32 %r9, 0;",
        [](std::uint32_t) { return ~0U; });
  check("match.all.sync.b32 %r9|%p1, %r1, -1; @%p1 mov.u32 %r9, 7;", [](std::uint32_t) { return 0U; });
}

TEST_CASE("reductions combine all lanes") {
  check("redux.sync.add.s32 %r9, %r1, -1;", [](std::uint32_t) { return 496U; });
  check("redux.sync.max.u32 %r9, %r1, -1;", [](std::uint32_t) { return 31U; });
  check("sub.u32 %r2, %r1, 5; redux.sync.min.s32 %r9, %r2, -1;", [](std::uint32_t) { return 0xFFFFFFFBU; });
  check("redux.sync.or.b32 %r9, %r1, -1;", [](std::uint32_t) { return 31U; });
  check("redux.sync.xor.b32 %r9, %r1, -1;", [](std::uint32_t) { return 0U; });
}

TEST_CASE("special registers hold lane, warp and masks") {
  check(
      "mov.u32 %r9, %laneid;", [](std::uint32_t i) { return i % 32; }, 70);
  check(
      "mov.u32 %r9, %warpid;", [](std::uint32_t i) { return i / 32; }, 70);
  check(
      "mov.u32 %r9, %nwarpid;", [](std::uint32_t) { return 3U; }, 70);
  check("mov.u32 %r9, %lanemask_lt;", [](std::uint32_t i) { return (1U << i) - 1; });
  check("mov.u32 %r9, %lanemask_ge;", [](std::uint32_t i) { return ~((1U << i) - 1); });
  check("mov.u32 %r2, %clock; mov.u32 %r3, %clock; setp.gt.u32 %p1, %r3, %r2; selp.u32 %r9, 1, 0, %p1;",
        [](std::uint32_t) { return 1U; });
}

TEST_CASE("a shuffle among the lanes of a branch is right if its mask names them only") {
  check(R"(setp.lt.u32 %p1, %r1, 16; @!%p1 bra END;
           shfl.sync.bfly.b32 %r9, %r1, 1, 31, 65535;)",
        [](std::uint32_t i) { return i < 16 ? i ^ 1 : 0; });
}

TEST_CASE("a shuffle from a lane that does not take part spoils minima and maxima") {
  // Lanes 20 to 31 have ended; then only the lanes of the branch take part.
  for (const char* body : {R"(setp.lt.u32 %p1, %r1, 20; @!%p1 exit;
           shfl.sync.down.b32 %r9, %r1, 8, 31, -1;)",
                           R"(setp.lt.u32 %p1, %r1, 20; vote.sync.ballot.b32 %r2, %p1, -1; @!%p1 bra END;
           shfl.sync.down.b32 %r9, %r1, 8, 31, %r2;)"}) {
    const Words got = values(body);
    for (std::uint32_t i = 0; i < 12; ++i) CHECK(got[i] == i + 8);
    CHECK(got[12] == vgpu::kUnwrittenWords[0]);
    CHECK(got[13] == vgpu::kUnwrittenWords[1]);
    CHECK(got[19] == vgpu::kUnwrittenWords[1]);
  }
}

TEST_CASE("a lane that shuffles alone gets both values that spoil a result") {
  const auto alone = [](const char* distance) {
    return values(std::string("setp.lt.u32 %p1, %r1, 1; @!%p1 exit; shfl.sync.down.b32 %r9, %r1, ") +
                  distance + ", 31, -1;")[0];
  };
  CHECK(alone("16") == vgpu::kUnwrittenWords[1]);
  CHECK(alone("8") == vgpu::kUnwrittenWords[0]);
}

TEST_CASE("a mask that names no running lane is a fault") {
  CHECK_THAT(fault_of("setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r9, %p1, 0;").detail,
             testing::contains("lane 0 is not in the mask 0x00000000 that it names"));
  // Half of the lanes name their half, the others only lanes that have ended.
  CHECK_THAT(fault_of(R"(setp.lt.u32 %p1, %r1, 8; @%p1 bra END;
           setp.lt.u32 %p2, %r1, 16; selp.u32 %r2, 65280, 255, %p2;
           shfl.sync.bfly.b32 %r9, %r1, 1, 31, %r2;)")
                 .detail,
             testing::contains("lane 16 is not in the mask 0x000000ff that it names"));
}

TEST_CASE("a shuffle whose mask names lanes that wait elsewhere is a fault") {
  const auto fault = fault_of(R"(setp.lt.u32 %p1, %r1, 16; @!%p1 bra END;
    .loc 1 12 1
    shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;)");
  CHECK(fault.source.line == 12);
  CHECK(fault.count == 16);
  CHECK(fault.detail == "the mask 0xffffffff names lanes 16 to 31, which do not take part");
  REQUIRE(fault.waiting.size() == 2);
  CHECK(fault.waiting[1].threads == 16);
}

TEST_CASE("lanes that name different masks are groups of their own") {
  const std::string halves = "shr.u32 %r2, %r1, 4; mul.lo.u32 %r2, %r2, 16; shl.b32 %r3, 65535, %r2;";
  const std::string fours = "and.b32 %r2, %r1, 28; shl.b32 %r3, 15, %r2; setp.lt.u32 %p3, %r1, 2;";
  const auto half = [](std::uint32_t i) { return i < 16 ? 0x0000FFFFU : 0xFFFF0000U; };
  const auto four = [](std::uint32_t i) { return 15U << (i & 28U); };
  check(halves + "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; vote.sync.ballot.b32 %r9, %p1, %r3;",
        [&](std::uint32_t i) { return 0xAAAAAAAAU & half(i); });
  check(fours + "vote.sync.any.pred %p2, !%p3, %r3; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t) { return 1U; });
  check(fours + "vote.sync.all.pred %p2, !%p3, %r3; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t i) { return i < 4 ? 0U : 1U; });
  check(fours + "vote.sync.any.pred %p2, %p3, %r3; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t i) { return i < 4 ? 1U : 0U; });
  check(fours + "setp.gt.u32 %p4, %r1, 3; vote.sync.all.pred %p2, %p4, %r3; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t i) { return i < 4 ? 0U : 1U; });
  check(fours + "vote.sync.uni.pred %p2, %p3, %r3; selp.u32 %r9, 1, 0, %p2;",
        [](std::uint32_t i) { return i < 4 ? 0U : 1U; });
  check(fours + "redux.sync.add.u32 %r9, %r1, %r3;", [](std::uint32_t i) { return 4 * (i & 28U) + 6; });
  check(fours + "mov.u32 %r4, 7; match.any.sync.b32 %r9, %r4, %r3;", four);
  check(fours + "mov.u32 %r4, 7; match.all.sync.b32 %r9|%p1, %r4, %r3;", four);
  check(fours + "elect.sync %r9|%p1, %r3; @%p1 add.u32 %r9, %r9, 100;",
        [](std::uint32_t i) { return (i & 28U) + (i % 4 == 0 ? 100U : 0U); });
  check(fours + "shfl.sync.bfly.b32 %r9, %r1, 2, 31, %r3;", [](std::uint32_t i) { return i ^ 2U; });
  // A lane of another group has nothing to give.
  check(fours + "shfl.sync.bfly.b32 %r9, %r1, 4, 31, %r3;",
        [](std::uint32_t i) { return vgpu::kUnwrittenWords[(i + 1) % 2]; });
}

TEST_CASE("groups gather although their lanes come from different branches") {
  // Called through a pointer, so that two calls run one instruction.
  const std::string sum = R"(
.func (.param .b32 sum) tile_sum(.param .b32 x, .param .b32 mask);
.global .align 8 .u64 pointer = tile_sum;
.func (.param .b32 sum) tile_sum(.param .b32 x, .param .b32 mask)
{ .reg .b32 %r<4>; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [mask]; redux.sync.add.u32 %r1, %r1, %r2;
  st.param.b32 [sum], %r1; ret; })";
  const auto call = [](const std::string& x, const std::string& label) {
    return R"({ .param .b32 a; .param .b32 m; .param .b32 s; st.param.b32 [a], )" + x +
           "; st.param.b32 [m], %r3; " + label +
           ": .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _); call (s), %rd4, (a, m), " +
           label + "; ld.param.b32 %r9, [s]; }";
  };
  const std::string body =
      "mov.u64 %rd3, pointer; ld.global.u64 %rd4, [%rd3]; and.b32 %r2, %r1, 28;"
      "shl.b32 %r3, 15, %r2; and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1;"
      "add.u32 %r5, %r1, 1000; @%p1 bra ODD;" +
      call("%r1", "EVENS") + "bra.uni END; ODD:" + call("%r5", "ODDS");
  Gpu gpu(text(body, sum));
  const auto out = gpu.zeros<std::uint32_t>(32);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(out));
  const auto sums = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(sums[i] == 4 * (i & 28U) + 6 + 2000);
}

TEST_CASE("complete groups continue while others wait") {
  // Lanes 8 to 15 wait for lanes 16 to 31, which run the same shuffle with another mask first.
  check(R"(mov.u32 %r3, 0xFFFF0000; setp.ge.u32 %p1, %r1, 16; setp.lt.u32 %p2, %r1, 8;
           mov.u32 %r9, %r1;
           @%p1 bra AGAIN; mov.u32 %r3, 0xFF; @%p2 bra AGAIN; mov.u32 %r3, 0xFFFFFF00;
           AGAIN: redux.sync.add.u32 %r9, %r9, %r3;
           setp.eq.u32 %p3, %r3, 0xFFFF0000; mov.u32 %r3, 0xFFFFFF00; @%p3 bra AGAIN;)",
        [](std::uint32_t i) { return i < 8 ? 28U : 92U + 16 * 376; });
}

TEST_CASE("a mask that other lanes of it do not name is a fault") {
  const std::string wrong = R"(setp.lt.u32 %p1, %r1, 16; selp.b32 %r3, -1, 0xFFFF0000, %p1;
    .loc 1 7 1
    shfl.sync.bfly.b32 %r9, %r1, 16, 31, %r3;)";
  for (const std::string end : {"", "bar.sync 0;"}) {
    const auto fault = fault_of(wrong + end);
    CHECK(fault.source.line == 7);
    CHECK(fault.count == 16);
    CHECK(fault.detail == "the mask 0xffffffff names lanes 16 to 31, which passed another mask");
  }
}

TEST_CASE("a lane that names a mask without itself is a fault") {
  const auto fault = fault_of(".loc 1 7 1\nvote.sync.ballot.b32 %r9, %p1, 0xFFFF;");
  CHECK(fault.source.line == 7);
  CHECK(fault.count == 16);
  CHECK(fault.thread.x == 16);
  CHECK(fault.detail == "lane 16 is not in the mask 0x0000ffff that it names");
  CHECK(
      fault_of("and.b32 %r2, %r1, 28; xor.b32 %r2, %r2, 4; shl.b32 %r3, 15, %r2; bar.warp.sync %r3;").count ==
      4);
}

TEST_CASE("groups can wait at different warp barriers") {
  check(R"(setp.lt.u32 %p1, %r1, 16; selp.b32 %r3, 65535, 0xFFFF0000, %p1; and.b32 %r4, %r1, 1;
           setp.eq.u32 %p2, %r4, 1; @%p2 bra ODD;
           bar.warp.sync %r3; mov.u32 %r9, 1; bra END;
           ODD: bar.warp.sync %r3; mov.u32 %r9, 2;)",
        [](std::uint32_t i) { return 1 + i % 2; });
  // Passing a warp barrier with another mask and exiting is not a fault.
  check(R"(setp.lt.u32 %p1, %r1, 16; selp.b32 %r3, -1, 0xFFFF0000, %p1; bar.warp.sync %r3; mov.u32 %r9, 5;)",
        [](std::uint32_t) { return 5U; });
}

TEST_CASE("lanes that have ended or do not exist need not take part") {
  check(
      "shfl.sync.down.b32 %r9, %r1, 1, 31, -1;",
      [](std::uint32_t i) { return i < 19 ? i + 1 : vgpu::kUnwrittenWords[0]; }, 20);
  check(R"(setp.lt.u32 %p1, %r1, 16; @%p1 bra STAY; ret;
           STAY: redux.sync.add.u32 %r9, %r1, -1;)",
        [](std::uint32_t i) { return i < 16 ? 120 : 99; });
}

TEST_CASE("a warp barrier gathers lanes from both sides of a branch") {
  check(R"(setp.lt.u32 %p1, %r1, 16; @%p1 bra THEN;
           bar.warp.sync -1; mov.u32 %r9, 1; bra END;
           THEN: bar.warp.sync -1; mov.u32 %r9, 2;)",
        [](std::uint32_t i) { return i < 16 ? 2U : 1U; });
}

TEST_CASE("one of the participating lanes is elected") {
  check("elect.sync %r9|%p1, -1; @%p1 add.u32 %r9, %r9, 50;",
        [](std::uint32_t i) { return i == 0 ? 50U : 0U; });
  check(R"(setp.lt.u32 %p2, %r1, 3; @%p2 bra END;
           elect.sync %r9|%p1, 0xFFFFFFF8; @%p1 add.u32 %r9, %r9, 50;)",
        [](std::uint32_t i) { return i < 3    ? 0U
                                     : i == 3 ? 53U
                                              : 3U; });
}

TEST_CASE("floats are reduced over a warp, and NaN loses, or wins with .NaN") {
  const std::string lanes =
      ".reg .f32 %f<4>; cvt.rn.f32.u32 %f1, %r1; sub.f32 %f1, %f1, 0f41200000;"
      "setp.eq.u32 %p1, %r1, 5; @%p1 mov.f32 %f1, 0f7FC00000;";  // lane - 10, one NaN
  const auto bits = [](float x) {
    std::uint32_t word = 0;
    std::memcpy(&word, &x, sizeof word);
    return [word](std::uint32_t) { return word; };
  };
  check(lanes + "redux.sync.min.f32 %f2, %f1, -1; mov.b32 %r9, %f2;", bits(-10));
  check(lanes + "redux.sync.max.f32 %f2, %f1, -1; mov.b32 %r9, %f2;", bits(21));
  check(lanes + "redux.sync.min.abs.f32 %f2, %f1, -1; mov.b32 %r9, %f2;", bits(0));
  check(lanes + "redux.sync.max.NaN.f32 %f2, %f1, -1; mov.b32 %r9, %f2;",
        [](std::uint32_t) { return 0x7FFFFFFFU; });
}

}  // namespace warp_wide_test
