// The load of a kernel's atomics on one line of L2, as seen in the modelled time of profiles where a lane on
// one word takes a clock, of floating-point numbers three, and a request for several words ten.
#include "vgpu/gpu.hpp"

namespace atomic_load_test {

using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

/// A kernel for one block of two warps. %rd1 is the array's address, %rd2 that of a thread's own word.
double clocks(const std::string& body, unsigned cpu_threads = 1) {
  vgpu::Profile profile = vgpu::lecture_profile();
  profile.clock_hz = 1e9;
  profile.l2_bytes = std::size_t{1} << 20U;
  profile.same_address_atomic_clocks = 1;
  profile.same_address_float_atomic_clocks = 3;
  profile.same_line_atomic_clocks = 10;
  const std::string start = R"(
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [in]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; mov.f32 %f1, 0f3F800000;
    ld.param.u64 %rd3, [in]; add.u64 %rd4, %rd3, 64; ld.global.u64 %rd5, [%rd3]; add.u64 %rd6, %rd3, %rd5;
  )";
  Gpu gpu(kernel_text(".param .u64 in", start + body + " ret;"), {.cpu_threads = cpu_threads}, profile);
  const auto in = gpu.zeros<std::uint32_t>(1024);
  const auto record = gpu.run("k", {1, 1, 1}, {64, 1, 1}, pack(in));
  return record.time[vgpu::TimePart::atomics] * 1e9;
}

}  // namespace

TEST_CASE("machine code sends integer atomics on one known address once per warp") {
  CHECK(clocks("red.global.add.u32 [%rd4], 1;") == Approx(2));
  CHECK(clocks("red.global.max.s32 [%rd3+4], %r1;") == Approx(2));
  CHECK(clocks("atom.global.add.u32 %r2, [%rd4], 1;") == Approx(2));
}

TEST_CASE("atomics whose address comes from memory are processed lane by lane") {
  CHECK(clocks("red.global.add.u32 [%rd6], 1;") == Approx(64));
  CHECK(clocks("red.global.inc.u32 [%rd4], %r1;") == Approx(64));
}

TEST_CASE("floating-point sums are never combined") {
  CHECK(clocks("red.global.add.f32 [%rd4], %f1;") == Approx(3 * 64));
}

TEST_CASE("requests for several words of a line follow each other") {
  CHECK(clocks("red.global.add.u32 [%rd2], 1;") == Approx(10));  // two lines of 32 words, one for each warp
}

}  // namespace atomic_load_test
