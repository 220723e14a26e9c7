// Calls that happen while a kernel runs: recursion, pointers, frames, and where lanes meet again.
#include "vgpu/gpu.hpp"

namespace calls_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr const char* kStart = R"(
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
)";

/// fib(n) with two recursive calls. %r2 and %r3 are live after the first call.
constexpr const char* kFib = R"(
.func (.param .b32 result) fib(.param .b32 n)
{
    .reg .pred %p1; .reg .b32 %r<9>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %r1;
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra DONE;
    sub.u32 %r3, %r1, 1;
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r3; call.uni (r), fib, (a); ld.param.b32 %r4, [r]; }
    sub.u32 %r3, %r1, 2;
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r3; call.uni (r), fib, (a); ld.param.b32 %r5, [r]; }
    add.u32 %r2, %r4, %r5;
    DONE: st.param.b32 [result], %r2;
    ret;
})";

/// Two functions of the same kind, and a table of their addresses.
constexpr const char* kTable = R"(
.func (.param .b32 result) twice(.param .b32 x);
.func (.param .b32 result) plus_lanes(.param .b32 x);
.global .align 8 .u64 table[3] = {twice, plus_lanes, 0};
.func (.param .b32 result) twice(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, %r1; st.param.b32 [result], %r1; ret; }
.func (.param .b32 result) plus_lanes(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; activemask.b32 %r2; popc.b32 %r2, %r2; add.u32 %r1, %r1, %r2;
  st.param.b32 [result], %r1; ret; }
)";

/// Calls table[%r2] with %r1; the result is in %r3.
constexpr const char* kCallTable = R"(
    mov.u64 %rd3, table; mul.wide.u32 %rd4, %r2, 8; add.u64 %rd3, %rd3, %rd4; ld.global.u64 %rd5, [%rd3];
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;
      proto: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (r), %rd5, (a), proto;
      ld.param.b32 %r3, [r]; }
)";

std::string text(const std::string& functions, const std::string& body) {
  return kernel_text(".param .u64 out", kStart + body + "\nst.global.u32 [%rd1], %r3; ret;", functions);
}

Words values(const std::string& functions, const std::string& body, std::uint32_t threads = 32) {
  Gpu gpu(text(functions, body));
  const auto out = gpu.upload(Words(threads, 99));
  gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(out));
  return gpu.download<std::uint32_t>(out, threads);
}

Fault fault(FaultKind kind, const std::string& functions, const std::string& body) {
  Gpu gpu(text(functions, body));
  return gpu.fault(kind, "k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(32)));
}

}  // namespace

TEST_CASE("lanes recurse to different depths and reconverge after the call") {
  const Words result = values(kFib, R"(
    rem.u32 %r2, %r1, 12;
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r2; call.uni (r), fib, (a); ld.param.b32 %r3, [r]; }
    activemask.b32 %r4; not.b32 %r4, %r4; add.u32 %r3, %r3, %r4;)");
  const Words fib{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == fib[i % 12]);
}

TEST_CASE("a guarded call is made by the lanes whose guard holds") {
  const Words result = values(kFib, R"(
    mov.u32 %r3, 7; setp.lt.u32 %p1, %r1, 5; .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; st.param.b32 [r], %r3;
    @%p1 call (r), fib, (a);
    ld.param.b32 %r3, [r];)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (i < 5 ? Words{0, 1, 1, 2, 3}[i] : 7));
}

TEST_CASE("functions may call each other") {
  const Words result = values(R"(
.func (.param .b32 r) odd(.param .b32 n);
.func (.param .b32 r) even(.param .b32 n)
{ .reg .pred %p1; .reg .b32 %r<4>; ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 1; @%p1 bra END;
  sub.u32 %r1, %r1, 1; .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), odd, (a); ld.param.b32 %r2, [b];
  END: st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) odd(.param .b32 n)
{ .reg .pred %p1; .reg .b32 %r<4>; ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 bra END;
  sub.u32 %r1, %r1, 1; .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), even, (a); ld.param.b32 %r2, [b];
  END: st.param.b32 [r], %r2; ret; })",
                              R"(
    .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), even, (a); ld.param.b32 %r3, [r];)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == 1 - i % 2);
}

TEST_CASE("lanes with different targets run one target at a time and meet at the return") {
  const Words result = values(kTable, R"(
    setp.lt.u32 %p1, %r1, 10; selp.u32 %r2, 1, 0, %p1;)" +
                                          std::string(kCallTable) + R"(
    activemask.b32 %r4; not.b32 %r4, %r4; add.u32 %r3, %r3, %r4;)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (i < 10 ? i + 10 : 2 * i));
}

TEST_CASE("a call through a pointer costs one more instruction for each further target") {
  const auto instructions = [](const char* target) {
    Gpu gpu(text(kTable, std::string("and.b32 %r2, %r1, ") + target + ";" + kCallTable));
    return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(32))).counters;
  };
  const auto together = instructions("0");
  const auto apart = instructions("1");
  CHECK(together.divergent_branches == 0);
  CHECK(apart.divergent_branches == 1);
  // The other function's six instructions, and the call twice.
  CHECK(apart.warp_instructions == together.warp_instructions + 6 + 1);
}

TEST_CASE("the address of a function can be taken by mov and stored") {
  const Words result = values(kTable, R"(
    .shared .align 8 .b8 s[8]; mov.u64 %rd5, twice; st.shared.u64 [s], %rd5; ld.shared.u64 %rd6, [s];
    .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;
    targets: .calltargets twice, plus_lanes;
    call (r), %rd6, (a), targets; ld.param.b32 %r3, [r];)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == 2 * i);
}

TEST_CASE("every depth of a recursion has local variables of its own, which deeper ones can reach") {
  // sum(p, n): adds n to *p through a pointer into the frame of the caller.
  const Words result = values(R"(
.func sum(.param .b64 p, .param .b32 n)
{ .reg .pred %p1; .reg .b32 %r<6>; .reg .b64 %rd<6>; .local .align 8 .b8 mine[16];
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
  mov.u64 %rd2, mine; cvta.local.u64 %rd3, %rd2; st.local.u32 [mine+4], %r1; add.u64 %rd3, %rd3, 4;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra END;
  sub.u32 %r2, %r1, 1; .param .b64 a; .param .b32 b; st.param.b64 [a], %rd3; st.param.b32 [b], %r2;
  call sum, (a, b);
  END: ld.local.u32 %r3, [%rd2+4]; ld.u32 %r4, [%rd1]; add.u32 %r4, %r4, %r3; st.u32 [%rd1], %r4; ret; })",
                              R"(
    .local .align 4 .b8 total[4]; mov.u32 %r3, 0; st.local.u32 [total], %r3; mov.u64 %rd3, total; cvta.local.u64 %rd3, %rd3;
    .param .b64 a; .param .b32 b; st.param.b64 [a], %rd3; st.param.b32 [b], %r1; call sum, (a, b);
    ld.local.u32 %r3, [total];)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == i * (i + 1) / 2);
}

TEST_CASE("structures are passed and returned by value") {
  const Words result = values(R"(
.func (.param .align 8 .b8 r[16]) next(.param .align 8 .b8 s[16], .param .b32 n)
{ .reg .pred %p1; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u32 %r1, [s]; ld.param.u64 %rd1, [s+8]; ld.param.u32 %r2, [n];
  st.param.b32 [r], %r1; st.param.b64 [r+8], %rd1;
  setp.eq.u32 %p1, %r2, 0; @%p1 ret;
  add.u32 %r1, %r1, 1; add.u64 %rd1, %rd1, 100; sub.u32 %r2, %r2, 1;
  .param .align 8 .b8 a[16]; .param .b32 b; .param .align 8 .b8 c[16];
  st.param.b32 [a], %r1; st.param.b64 [a+8], %rd1; st.param.b32 [b], %r2;
  call (c), next, (a, b);
  ld.param.u32 %r1, [c]; ld.param.b64 %rd1, [c+8]; st.param.b32 [r], %r1; st.param.b64 [r+8], %rd1; ret; })",
                              R"(
    .param .align 8 .b8 a[16]; .param .b32 b; .param .align 8 .b8 c[16];
    mov.u64 %rd3, 5; st.param.b32 [a], %r1; st.param.b64 [a+8], %rd3; rem.u32 %r2, %r1, 5; st.param.b32 [b], %r2;
    call (c), next, (a, b);
    ld.param.u32 %r3, [c]; ld.param.u64 %rd3, [c+8]; cvt.u32.u64 %r4, %rd3; mad.lo.u32 %r3, %r4, 1000, %r3;)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (5 + i % 5 * 100) * 1000 + i + i % 5);
}

TEST_CASE("a predicate that is live after a recursive call keeps its value") {
  // bits(n): 1 for every odd number up to n; the test precedes the call, its result is used after it.
  const Words result = values(R"(
.func (.param .b32 r) bits(.param .b32 n)
{ .reg .pred %p<3>; .reg .b32 %r<6>; ld.param.u32 %r1, [n]; mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra END;
  and.b32 %r2, %r1, 1; setp.ne.u32 %p2, %r2, 0; sub.u32 %r1, %r1, 1;
  .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), bits, (a); ld.param.b32 %r3, [b];
  @%p2 add.u32 %r3, %r3, 1;
  END: st.param.b32 [r], %r3; ret; })",
                              R"(
    .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), bits, (a); ld.param.b32 %r3, [r];)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (i + 1) / 2);
}

TEST_CASE("lanes that exit in a function end, the others return") {
  const Words result = values(R"(
.func f(.param .b32 n)
{ .reg .pred %p<3>; .reg .b32 %r<6>; ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 3; @%p1 exit;
  setp.eq.u32 %p1, %r1, 0; @%p1 ret; sub.u32 %r1, %r1, 4; .param .b32 a; st.param.b32 [a], %r1; call f, (a); ret; })",
                              R"(
    and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 3; selp.u32 %r2, %r1, 0, %p1; .param .b32 a; st.param.b32 [a], %r2;
    call f, (a); activemask.b32 %r3;)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (i % 4 == 3 ? 99 : 0x77777777));
}

TEST_CASE("a recursive function can contain a barrier") {
  const Words result = values(R"(
.shared .align 4 .b8 s[256];
.func f(.param .b32 n)
{ .reg .pred %p<3>; .reg .b32 %r<9>; ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 ret;
  mov.u32 %r2, %tid.x; xor.b32 %r3, %r2, 32; shl.b32 %r2, %r2, 2; shl.b32 %r3, %r3, 2; mov.u32 %r4, s;
  add.u32 %r2, %r2, %r4; add.u32 %r3, %r3, %r4;
  ld.shared.u32 %r5, [%r3]; bar.sync 0; add.u32 %r5, %r5, 1; st.shared.u32 [%r2], %r5; bar.sync 0;
  sub.u32 %r1, %r1, 1; .param .b32 a; st.param.b32 [a], %r1; call f, (a); ret; })",
                              R"(
    shl.b32 %r4, %r1, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; shr.u32 %r6, %r1, 5; mul.lo.u32 %r6, %r6, 10;
    st.shared.u32 [%r4], %r6; bar.sync 0;
    mov.u32 %r2, 3; .param .b32 a; st.param.b32 [a], %r2; call f, (a); ld.shared.u32 %r3, [%r4];)",
                              64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[i] == (i < 32 ? 13 : 3));
}

TEST_CASE("a recursion without end overflows the stack, whose size can be set") {
  const std::string functions = R"(
.func f(.param .b32 n)
{ .reg .b32 %r<3>; .local .align 4 .b8 x[64]; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, 1; st.local.u32 [x], %r1;
  .param .b32 a; st.param.b32 [a], %r1; .loc 1 12 3
  call f, (a); ld.local.u32 %r2, [x]; ret; })";
  const std::string body = "mov.u32 %r3, 0; .param .b32 a; st.param.b32 [a], %r1; call f, (a);";
  const Fault found = fault(FaultKind::stack_overflow, functions, body);
  CHECK(found.access_bytes == 1024);
  CHECK(found.detail == "f");
  CHECK(found.source.line == 12);
  CHECK(found.count == 32);

  Gpu gpu(text(kFib,
               ".param .b32 a; .param .b32 r; mov.u32 %r2, 150; st.param.b32 [a], %r2; mov.u32 %r3, 0;"
               "setp.gt.u32 %p1, %r2, 1000; @%p1 call (r), fib, (a);"));
  CHECK(gpu.device.stack_bytes() == 1024);
  CHECK(gpu.device.set_stack_bytes(4096));
  CHECK(gpu.device.stack_bytes() == 4096);
  CHECK_FALSE(gpu.device.set_stack_bytes(std::size_t{1} << 40U));
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(32)));
}

TEST_CASE("a call through an invalid pointer is a fault with the reason") {
  const Fault null = fault(FaultKind::invalid_call, kTable, "mov.u32 %r2, 2;" + std::string(kCallTable));
  CHECK(null.detail == "address 0x0 is not the address of a function of this module");
  const std::string start = "mov.u32 %r2, 0; mov.u64 %rd5, ";
  const std::string call = ".param .b32 a; .param .b64 b; proto: .callprototype _ (.param .b64 _); ";
  CHECK(fault(FaultKind::invalid_call, kTable,
              start + "twice; add.u64 %rd5, %rd5, 8;" + call + "call %rd5, (b), proto;")
            .detail.ends_with("is not the address of a function of this module"));
  CHECK(fault(FaultKind::invalid_call, kTable, start + "twice;" + call + "call %rd5, (b), proto;").detail ==
        "the parameters or results of twice do not match those of the call");
  CHECK(fault(FaultKind::invalid_call, kTable + std::string(".extern .func gone(.param .b64 x);"),
              start + "gone;" + call + "call %rd5, (b), proto;")
            .detail == "gone has no body in this module");
}

TEST_CASE("a call that passes other values than the function takes is not run") {
  const std::string call = ".param .b64 a; .param .b32 r; mov.u32 %r3, 0; call (r), fib, (a);";
  CHECK_FALSE(fault(FaultKind::unsupported, kFib, "call fib, ();").detail.empty());
  // The first call is inlined, where sizes need not agree; the one inside is not.
  std::string wrong = kFib;
  wrong.replace(wrong.find(".param .b32 a"), 13, ".param .b64 a");
  CHECK(fault(FaultKind::unsupported, wrong, call).detail ==
        "call.uni passes values that do not match the parameters or results of fib");
}

TEST_CASE("calls within calls that would be too long to inline are called") {
  // 2^20 calls if each were inlined.
  std::string functions =
      ".func (.param .b32 r) f0(.param .b32 n)\n{ .reg .b32 %r1; ld.param.u32 %r1, [n];"
      " add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }\n";
  for (int i = 1; i <= 20; ++i) {
    const std::string inner = "call (b), f" + std::to_string(i - 1) + ", (a);";
    functions += ".func (.param .b32 r) f" + std::to_string(i) +
                 "(.param .b32 n)\n{ .reg .pred %p1; .reg .b32 %r1; .param .b32 a; .param .b32 b; "
                 "ld.param.u32 %r1, [n];"
                 " st.param.b32 [a], %r1; setp.eq.u32 %p1, %r1, 77; @%p1 " +
                 inner + inner + " ld.param.b32 %r1, [b]; st.param.b32 [r], %r1; ret; }\n";
  }
  const Words result = values(functions, R"(
    .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), f20, (a); ld.param.b32 %r3, [r];)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == i + 1);
}

TEST_CASE("a fault in a library's function is one of the line that calls it") {
  const std::string functions = R"(
.func at_null() { .reg .b64 %rd<2>; .reg .b32 %r<2>; .loc 2 397 1
  mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1]; ret; }
.func wrapper() { .loc 2 88 1
  call.uni at_null, (); ret; })";
  Gpu gpu(text(functions, "mov.u32 %r3, 0; .loc 1 12 3\ncall.uni wrapper, ();") +
          "\n.file 1 \"/home/me/a.cu\"\n.file 2 \"/usr/include/sm_30_intrinsics.hpp\"\n");
  const Fault found =
      gpu.fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(32)));
  CHECK(found.file == "/home/me/a.cu");
  CHECK(found.source.line == 12);
}

TEST_CASE(
    "arguments and results that machine code passes in registers are not local memory, larger ones are") {
  const std::string large = R"(
.func (.param .b32 result) first(.param .align 4 .b8 x[64]);
.global .align 8 .u64 table[1] = {first};
.func (.param .b32 result) first(.param .align 4 .b8 x[64])
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; st.param.b32 [result], %r1; ret; }
)";
  const std::string call_large = R"(
    mov.u64 %rd3, table; ld.global.u64 %rd5, [%rd3];
    { .param .align 4 .b8 a[64]; .param .b32 r; st.param.b32 [a], %r1;
      proto: .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[64]);
      call (r), %rd5, (a), proto;
      ld.param.b32 %r3, [r]; }
)";
  const auto counters_of = [](const std::string& functions, const std::string& call) {
    Gpu gpu(kernel_text(".param .u64 out",
                        kStart + std::string("mov.u32 %r2, 0;") + call + "st.global.u32 [%rd1], %r3; ret;",
                        functions));
    const auto out = gpu.zeros<std::uint32_t>(32);
    return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(out)).counters;
  };
  const auto small = counters_of(kTable, kCallTable), passed_by_memory = counters_of(large, call_large);
  CHECK(small.local_loads.requests + small.local_stores.requests == 0);
  CHECK(passed_by_memory.local_stores.requests == 1);
  CHECK(passed_by_memory.local_loads.requests == 1);
}

}  // namespace calls_test
