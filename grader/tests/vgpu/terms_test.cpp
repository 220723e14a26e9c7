// What words of memory were computed from.
#include "vgpu/gpu.hpp"

namespace terms_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Term;
using vgpu::TermId;

namespace {

vgpu::DeviceOptions following(unsigned threads = 1) {
  vgpu::DeviceOptions options;
  options.cpu_threads = threads;
  options.checks = vgpu::Checks::all();
  options.follows_terms = true;
  return options;
}

/// Thread number × 4 in %rd3; the arrays `in` and `out` in %rd1 and %rd2, at this thread's element in %rd4
/// and %rd5, which is in[thread] in %f1.
constexpr const char* kStart = R"(
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<12>; .reg .f32 %f<12>; .reg .b16 %h<4>;
    .shared .align 4 .b8 tile[128];
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
    cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
  )";

struct Run {
  Gpu gpu;
  vgpu::DevicePtr in, out;

  /// One warp runs `body` on in[i] = i + 1 and 32 elements of out.
  explicit Run(const std::string& body, vgpu::Dim3 grid = {1, 1, 1}, unsigned threads = 1)
      : gpu(kernel_text(".param .u64 in, .param .u64 out", kStart + body + " ret;"), following(threads)),
        in(gpu.upload(inputs())),
        out(gpu.zeros<float>(64)) {
    gpu.run("k", grid, {32, 1, 1}, pack(in, out));
  }
  static std::vector<float> inputs() {
    std::vector<float> values(64);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
    return values;
  }
  std::string of_out(std::size_t element) const { return text(gpu.device.terms_of(out + 4 * element, 4)[0]); }
  /// "(in0+(in1*in2))"
  std::string text(TermId id) const {
    const vgpu::Terms& terms = gpu.device.terms();
    const Term& term = terms.nodes[id];
    switch (term.kind) {
      case Term::Kind::word:
        return id == 0 ? "-" : "in" + std::to_string((terms.words[term.left].address - in) / 4);
      case Term::Kind::constant:
        return std::to_string(static_cast<int>(terms.constants[term.left]));
      case Term::Kind::function:
        return "f" + std::to_string(term.right) + text(term.left);
      default:
        break;
    }
    static constexpr std::string_view kSigns = "??+-*/<>=fo";
    std::string text = "(" + this->text(term.left) + kSigns[static_cast<std::size_t>(term.kind)];
    if (term.right != 0) text += this->text(term.right);
    return text + ")";
  }
};

}  // namespace

TEST_CASE("a stored value is the operations on words of memory that gave it") {
  const Run run(R"(
    ld.global.f32 %f2, [%rd4+4]; ld.global.f32 %f3, [%rd4+8];
    mul.rn.f32 %f4, %f1, %f2; fma.rn.f32 %f5, %f2, %f3, %f4; min.f32 %f6, %f5, %f1; sub.f32 %f7, %f6, %f3;
    st.global.f32 [%rd5], %f7;)");
  CHECK(run.of_out(0) == "((((in1*in2)+(in0*in1))<in0)-in2)");
  CHECK(run.of_out(31) == "((((in32*in33)+(in31*in32))<in31)-in33)");
  CHECK(run.of_out(32) == "-");  // not stored
  CHECK(run.gpu.device.terms().is_complete);
}

TEST_CASE("constants that change nothing are no part of a value, others are") {
  const Run run(R"(
    mov.f32 %f2, 0f00000000; add.f32 %f3, %f1, %f2;                        // + 0
    mul.f32 %f4, %f3, 0f3F800000; min.f32 %f5, %f4, 0f7F800000;            // * 1, min with infinity
    fma.rn.f32 %f6, %f1, %f2, %f5;                                         // + in * 0
    mul.f32 %f7, %f6, 0f40400000; st.global.f32 [%rd5], %f7;               // * 3)");
  CHECK(run.of_out(4) == "(in4*3)");
}

TEST_CASE("values are followed through shared memory and shuffles") {
  const Run run(R"(
    mov.u64 %rd6, tile; cvt.u32.u64 %r2, %rd6; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
    st.shared.f32 [%r4], %f1; bar.sync 0;
    xor.b32 %r5, %r3, 4; add.u32 %r5, %r5, %r2; ld.shared.f32 %f2, [%r5];  // the neighbour's
    mov.b32 %r6, %f2; shfl.sync.down.b32 %r7, %r6, 16, 31, -1; mov.b32 %f3, %r7;
    add.f32 %f4, %f1, %f3; st.global.f32 [%rd5], %f4;)");
  CHECK(run.of_out(0) == "(in0+in17)");
  CHECK(run.of_out(3) == "(in3+in18)");
  CHECK(run.of_out(20) == "(in20+in21)");  // no lane 36: its own
}

TEST_CASE("atomics add to what a word is made of, in the order of the blocks") {
  for (const unsigned threads : {1U, 4U}) {
    INFO(threads);
    const Run run(R"(
      setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
      mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd6, %r2, 4; add.u64 %rd7, %rd1, %rd6; ld.global.f32 %f2, [%rd7];
      red.global.add.f32 [%rd2], %f2;
      END:)",
                  {3, 1, 1}, threads);
    CHECK(run.of_out(0) == "((in0+in1)+in2)");
  }
}

TEST_CASE("a block follows what a waiting block has stored") {
  const Run run(R"(
    mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; setp.ne.u32 %p2, %r3, 0; @%p2 bra SECOND;
    ld.global.f32 %f2, [%rd4+4]; mul.f32 %f3, %f1, %f2; st.global.f32 [%rd2+160], %f3; membar.gl;
    st.volatile.global.u32 [%rd2+164], 1;
    FIRST_WAITS: ld.volatile.global.u32 %r4, [%rd2+168]; setp.eq.u32 %p3, %r4, 0; @%p3 bra FIRST_WAITS;
    bra DONE;
    SECOND: ld.volatile.global.u32 %r4, [%rd2+164]; setp.eq.u32 %p3, %r4, 0; @%p3 bra SECOND; membar.gl;
    ld.volatile.global.f32 %f4, [%rd2+160]; ld.global.f32 %f5, [%rd4+8]; add.f32 %f6, %f4, %f5;
    st.global.f32 [%rd2], %f6; membar.gl; st.volatile.global.u32 [%rd2+168], 1;
    DONE:)",
                {2, 1, 1});
  CHECK(run.of_out(0) == "((in0*in1)+in2)");
}

TEST_CASE("a count consists of its tests") {
  const Run run(R"(
    setp.gt.f32 %p1, %f1, 0f40000000; selp.u32 %r2, 1, 0, %p1;
    vote.sync.ballot.b32 %r3, %p1, -1; popc.b32 %r4, %r3; add.u32 %r5, %r4, %r2; st.global.u32 [%rd5], %r5;)");
  const std::string text = run.of_out(1);
  CHECK(text.starts_with("((((("));
  CHECK(text.find("(in0=)+(in1=)") != std::string::npos);
  CHECK(text.ends_with("+(in31=))+(in1=))"));
}

TEST_CASE("copies between arrays keep what words were computed from, other writes end it") {
  Run run("add.f32 %f2, %f1, %f1; st.global.f32 [%rd5], %f2;");
  REQUIRE(run.gpu.device.copy(run.out + 128, run.out, 16));
  CHECK(run.of_out(35) == "(in3+in3)");
  REQUIRE(run.gpu.device.copy(run.out, run.in + 20, 8));
  CHECK(run.of_out(0) == "in5");
  REQUIRE(run.gpu.device.fill(run.out + 4, std::byte{0}, 4));
  CHECK(run.of_out(1) == "-");
  const std::vector<float> one(1);
  REQUIRE(run.gpu.device.write(run.out + 8, std::as_bytes(std::span(one))));
  CHECK(run.of_out(2) == "-");
  CHECK(run.of_out(3) == "(in3+in3)");
}

TEST_CASE("a launch after another continues its values") {
  Run run("add.f32 %f2, %f1, %f1; st.global.f32 [%rd5], %f2;");
  run.gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(run.out, run.out));
  CHECK(run.of_out(2) == "((in2+in2)+(in2+in2))");
}

TEST_CASE("fills and copies of much memory end the following, whose own memory is limited") {
  Run run("add.f32 %f2, %f1, %f1; st.global.f32 [%rd5], %f2;");
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  const auto large = run.gpu.device.allocate(kBytes);
  REQUIRE(large);
  const std::vector<std::byte> bytes(kBytes);
  REQUIRE(run.gpu.device.write(*large, bytes));
  CHECK(run.gpu.device.terms().is_complete);
  CHECK(run.of_out(3) == "(in3+in3)");
  REQUIRE(run.gpu.device.fill(*large, std::byte{0}, kBytes));
  CHECK_FALSE(run.gpu.device.terms().is_complete);
  CHECK(run.of_out(3) == "-");
}

TEST_CASE("what is not followed makes the graph incomplete, and nothing is said") {
  const Run run(R"(
    .local .align 4 .b8 own[4];
    st.local.f32 [own], %f1; ld.local.f32 %f2, [own]; st.global.f32 [%rd5], %f2;)");
  CHECK_FALSE(run.gpu.device.terms().is_complete);
  CHECK(run.of_out(0) == "-");
}

TEST_CASE("terms cost nothing where they are not asked for") {
  Gpu gpu(
      kernel_text(".param .u64 in, .param .u64 out", std::string(kStart) + "st.global.f32 [%rd5], %f1; ret;"),
      {.checks = vgpu::Checks::all()});
  const auto in = gpu.zeros<float>(64), out = gpu.zeros<float>(64);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(in, out));
  CHECK_FALSE(gpu.device.follows_terms());
  CHECK(gpu.device.terms_of(out, 8) == std::vector<TermId>{0, 0});
}

TEST_CASE("operations on one value are kept, conversions that have its value are not") {
  const auto of = [](const std::string& body) { return Run(body + " st.global.f32 [%rd5], %f2;").of_out(1); };
  const auto function = [](Term::Function one) {
    return "f" + std::to_string(static_cast<int>(one)) + "in1";
  };
  CHECK(of("abs.f32 %f2, %f1;") == function(Term::Function::absolute));
  CHECK(of("neg.f32 %f2, %f1;") == function(Term::Function::negated));
  CHECK(of("sqrt.rn.f32 %f2, %f1;") == function(Term::Function::root));
  CHECK(of("cvt.rzi.f32.f32 %f2, %f1;") == function(Term::Function::truncated));
  CHECK(of("cvt.rzi.s32.f32 %r3, %f1; cvt.rn.f32.s32 %f2, %r3;") == function(Term::Function::truncated));
  CHECK(of("cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f2, %h1;") == function(Term::Function::half));
  CHECK(of("cvt.rn.bf16.f32 %h1, %f1; cvt.f32.bf16 %f2, %h1;") == function(Term::Function::half));
  CHECK(of("cvt.rn.f16.f32 %h1, %f1; mov.b16 %h2, 0; add.f16 %h1, %h1, %h2; cvt.f32.f16 %f2, %h1;") ==
        function(Term::Function::half));
  CHECK(of("mov.b32 %r3, %f1; and.b32 %r3, %r3, 0xffff0000; mov.b32 %f2, %r3;") ==
        function(Term::Function::other));
  CHECK(of("mov.f32 %f2, %f1;") == "in1");
}

TEST_CASE("bits of a vote are selected and counted without a function") {
  const Run run(
      "setp.gt.f32 %p1, %f1, 2.0; vote.sync.ballot.b32 %r3, %p1, -1; and.b32 %r4, %r3, 0xff; popc.b32 %r5, "
      "%r4; "
      "st.global.u32 [%rd5], %r5;");
  CHECK(run.of_out(0).find('f') == std::string::npos);
  CHECK(run.of_out(0).find("in31") != std::string::npos);
}

}  // namespace terms_test
