// The clock that a kernel reads agrees with the launch's modelled time.
#include "vgpu/cost/block_clock.hpp"

#include "vgpu/gpu.hpp"

namespace block_clock_test {

using vgpu::Profile;

namespace {

const std::string kRegisters = ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>;\n";

std::vector<Profile> profiles() { return {vgpu::lecture_profile(), *vgpu::find_profile("h200")}; }

/// A kernel that stores the clocks, and the nanoseconds, between the start and the end of `body` for each
/// warp's first lane.
std::string timed(const std::string& body) {
  return test::kernel_text(".param .u64 out, .param .u64 n", kRegisters + R"(
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [n];
    mov.u32 %r1, %tid.x;
    mov.u64 %rd3, %globaltimer; mov.u64 %rd4, %clock64;)" + body +
                                                                 R"(
    mov.u64 %rd5, %clock64; mov.u64 %rd6, %globaltimer;
    sub.u64 %rd5, %rd5, %rd4; sub.u64 %rd6, %rd6, %rd3;
    and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0; @%p1 bra DONE;
    shr.u32 %r1, %r1, 5; mul.wide.u32 %rd7, %r1, 16; add.u64 %rd7, %rd1, %rd7;
    st.global.u64 [%rd7], %rd5; st.global.u64 [%rd7+8], %rd6;
    DONE: ret;)");
}

const std::string kSpin = R"(
    SPIN: mov.u64 %rd8, %clock64; sub.u64 %rd8, %rd8, %rd4; setp.lt.u64 %p2, %rd8, %rd2; @%p2 bra SPIN;)";

const std::string kChain = R"(
    mov.u32 %r5, 0; mov.f32 %f1, 0f3F000000;
    NEXT: fma.rn.f32 %f1, %f1, %f1, %f1; add.u32 %r5, %r5, 1;
    cvt.u64.u32 %rd8, %r5; setp.lt.u64 %p2, %rd8, %rd2; @%p2 bra NEXT;
    setp.eq.f32 %p3, %f1, 0f00000000; @%p3 st.global.f32 [%rd1], %f1;)";

}  // namespace

TEST_CASE("a kernel that runs for a number of clocks takes that long in modelled time") {
  constexpr std::uint64_t kClocks = 200'000;
  for (const Profile& profile : profiles())
    for (const std::uint32_t warps : {1U, 4U, 8U}) {
      INFO(profile.name << ", " << warps << " warps");
      test::Gpu gpu(timed(kSpin), {}, profile);
      const auto out = gpu.zeros<std::uint64_t>(std::size_t{2} * warps);
      const auto record = gpu.run("k", {1, 1, 1}, {32 * warps, 1, 1}, test::pack(out, kClocks));
      CHECK(record.time.run_s * profile.clock_hz == Approx(kClocks).epsilon(0.05));
      for (std::uint32_t warp = 0; warp < warps; ++warp) {
        const auto passed = gpu.download<std::uint64_t>(out + std::uint64_t{16} * warp, 2);
        CHECK(passed[0] == Approx(kClocks).epsilon(0.05));
        CHECK(passed[1] == Approx(kClocks / profile.clock_hz * 1e9).epsilon(0.05));
      }
    }
}

TEST_CASE("a loop's clocks are those of its modelled time") {
  constexpr std::uint64_t kTimes = 10'000;
  for (const Profile& profile : profiles()) {
    INFO(profile.name);
    test::Gpu gpu(timed(kChain), {}, profile);
    const auto out = gpu.zeros<std::uint64_t>(2);
    const auto record = gpu.run("k", {1, 1, 1}, {32, 1, 1}, test::pack(out, kTimes));
    CHECK(record.time.run_s * profile.clock_hz ==
          Approx(gpu.download<std::uint64_t>(out, 1)[0]).epsilon(0.05));
  }
}

TEST_CASE("code without branches between two reads of the clock takes its latencies") {
  std::string chain;
  for (int i = 0; i < 100; ++i) chain += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  const Profile h200 = *vgpu::find_profile("h200");
  test::Gpu gpu(timed("mov.f32 %f1, 0f3F000000;" + chain), {}, h200);
  const auto out = gpu.zeros<std::uint64_t>(2);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, test::pack(out, std::uint64_t{0}));
  CHECK(gpu.download<std::uint64_t>(out, 1)[0] == Approx(100 * h200.arithmetic_latency_clocks).epsilon(0.1));
}

TEST_CASE("two reads of the clock in a row differ") {
  for (const Profile& profile : profiles()) {
    test::Gpu gpu(timed(""), {}, profile);
    const auto out = gpu.zeros<std::uint64_t>(2);
    gpu.run("k", {1, 1, 1}, {32, 1, 1}, test::pack(out, std::uint64_t{0}));
    CHECK(gpu.download<std::uint64_t>(out, 1)[0] > 0);
  }
}

}  // namespace block_clock_test
