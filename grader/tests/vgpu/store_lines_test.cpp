// The line of the last store to each word: of kernels, after copies, fills and host writes.
#include "vgpu/gpu.hpp"

namespace store_lines_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using Lines = std::vector<std::uint32_t>;

namespace {

/// Line 10 stores every word of `a`, line 20 those of the last block again, line 30 counts in the last word.
std::string kernel() {
  return kernel_text(".param .u64 a", R"(
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 32, %r1;
    mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;
    .loc 1 10 3
    st.global.u32 [%rd3], %r3;
    setp.ne.u32 %p1, %r2, 1;
    @%p1 bra $end;
    .loc 1 20 3
    st.global.u32 [%rd3], 7;
    bar.sync 0;
    setp.ne.u32 %p1, %r1, 31;
    @%p1 bra $end;
    .loc 1 30 3
    red.global.add.u32 [%rd3], 1;
  $end:
    ret;)");
}

struct Fixture {
  Gpu gpu;
  vgpu::DevicePtr a;

  explicit Fixture(vgpu::Checks checks = vgpu::Checks::all())
      : gpu(kernel(), {.checks = checks}), a(gpu.zeros<std::uint32_t>(96)) {
    gpu.run("k", {2, 1, 1}, {32, 1, 1}, pack(a));
  }
  /// 0: unknown.
  Lines lines(vgpu::DevicePtr from, std::size_t words) const {
    Lines found;
    for (const vgpu::StoreLine number : gpu.device.stored_by(from, 4 * words))
      found.push_back(number == 0 ? 0 : gpu.device.store_lines().at(number - 1U).line);
    return found;
  }
};

}  // namespace

TEST_CASE("each word has the line of its last store") {
  const Fixture f;
  CHECK(f.lines(f.a, 1) == Lines{10});
  CHECK(f.lines(f.a + 124, 2) == Lines{10, 20});
  CHECK(f.lines(f.a + 248, 3) == Lines{20, 30, 0});  // the last word is not stored
  CHECK(f.gpu.device.store_lines().front().file == "test.cu");
}

TEST_CASE("copies on the device take the lines with them, writes of the host remove them") {
  Fixture f;
  const auto copy = f.gpu.device.allocate(64).value();
  CHECK(f.gpu.device.copy(copy, f.a + 120, 16));
  CHECK(f.lines(copy, 5) == Lines{10, 10, 20, 20, 0});
  CHECK(f.gpu.device.fill(copy, std::byte{0}, 4));
  const std::uint32_t value = 1;
  CHECK(f.gpu.device.write(copy + 8, std::as_bytes(std::span(&value, 1))));
  CHECK(f.lines(copy, 4) == Lines{0, 10, 0, 20});
  CHECK(f.gpu.device.copy(f.a, f.a + 256, 4));  // not stored by a kernel
  CHECK(f.lines(f.a, 2) == Lines{0, 10});
}

TEST_CASE("without checks, and for addresses that are not allocated, lines are unknown") {
  const Fixture f{vgpu::Checks{}};
  CHECK(f.lines(f.a, 2) == Lines{0, 0});
  CHECK(Fixture().lines(8, 2) == Lines{0, 0});
}

}  // namespace store_lines_test
