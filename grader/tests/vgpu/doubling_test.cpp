// Values that are doubled on their way through shared memory, constant memory and shuffles.
#include "vgpu/analysis/doubling.hpp"

#include "vgpu/gpu.hpp"

namespace doubling_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Doubled;

namespace {

/// What `body` leaves in %out for the 32 lanes of a warp; lane i has the float i + 1 in %x and in `tile`.
template <class T = float>
std::vector<T> results(const std::string& body, Doubled doubled) {
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  options.doubled = doubled;
  Gpu gpu(kernel_text(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>, %i, %x, %out; .reg .b64 %rd<5>;
    .shared .align 16 .b8 tile[256];
    mov.u32 %i, %tid.x; add.u32 %r1, %i, 1; cvt.rn.f32.u32 %x, %r1;
    mov.u32 %r2, tile; shl.b32 %r3, %i, 2; add.u32 %r2, %r2, %r3;
    st.shared.f32 [%r2], %x; st.shared.u32 [%r2+128], %i;
    bar.sync 0;
)" + body + R"(
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %i, 4; add.u64 %rd1, %rd1, %rd2; st.global.b32 [%rd1], %out; ret;
)",
                      ".const .align 4 .f32 scale = 0f40400000;\n"),
          options);
  const auto out = gpu.zeros<T>(32);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(out));
  return gpu.download<T>(out, 32);
}

/// The factor by which the results grow; NaN if it is not the same for all.
double factor(const std::string& body, Doubled doubled) {
  const auto plain = results(body, Doubled::nothing), changed = results(body, doubled);
  const double first = changed[0] / plain[0];
  for (std::size_t i = 0; i < plain.size(); ++i)
    if (changed[i] / plain[i] != first) return std::nan("");
  return first;
}

}  // namespace

TEST_CASE("loads from shared memory are doubled, whatever their type, width and kind of address") {
  for (const std::string load :
       {"ld.shared.f32 %out, [%r2];", "ld.volatile.shared.b32 %out, [%r2];",
        "ld.shared::cta.u32 %out, [%r2];",
        "and.b32 %r2, %r2, -16; ld.shared.v4.f32 {%r4, %r5, %r6, %out}, [%r2];",
        "and.b32 %r2, %r2, -8; ld.shared.b64 %rd3, [%r2]; mov.b64 {%out, %r4}, %rd3;",
        "cvt.u64.u32 %rd3, %r2; cvta.shared.u64 %rd3, %rd3; ld.f32 %out, [%rd3];"}) {
    INFO(load);
    CHECK(factor(load, Doubled::shared_loads) == 2);
    CHECK(factor(load, Doubled::constant_loads) == 1);
    CHECK(factor(load, Doubled::exchanges) == 1);
  }
}

TEST_CASE("loads from constant memory and shuffles are doubled") {
  CHECK(factor("ld.const.f32 %out, [scale];", Doubled::constant_loads) == 2);
  CHECK(factor("ld.const.f32 %out, [scale];", Doubled::shared_loads) == 1);
  const std::string shuffle = "shfl.sync.bfly.b32 %out|%p1, %x, 1, 31, -1;";
  CHECK(factor(shuffle, Doubled::exchanges) == 2);
  CHECK(factor(shuffle, Doubled::shared_loads) == 1);
}

TEST_CASE("small integers stay as they are, so that indices remain right") {
  const std::string body = "ld.shared.u32 %out, [%r2+128];";
  CHECK(results<std::uint32_t>(body, Doubled::shared_loads) ==
        results<std::uint32_t>(body, Doubled::nothing));
}

TEST_CASE("a load that a guard skips doubles nothing") {
  const auto guarded = results("mov.b32 %out, %x; setp.lt.u32 %p1, %i, 4; @%p1 ld.shared.f32 %out, [%r2];",
                               Doubled::shared_loads);
  CHECK(guarded[3] == 8);
  CHECK(guarded[4] == 5);
}

TEST_CASE("branches lead to where they led before") {
  CHECK(factor("mov.u32 %r4, 0; mov.b32 %out, 0;\nagain:\n"
               "ld.shared.f32 %r5, [%r2]; add.f32 %out, %out, %r5; add.u32 %r4, %r4, 1;"
               "setp.lt.u32 %p1, %r4, 3; @%p1 bra again;",
               Doubled::shared_loads) == 2);
}

TEST_CASE("a value that is cancelled, or multiplied by 0, changes no result") {
  CHECK(factor("ld.shared.f32 %r4, [%r2]; sub.f32 %r4, %r4, %r4; add.f32 %out, %x, %r4;",
               Doubled::shared_loads) == 1);
  CHECK(factor("ld.shared.f32 %r4, [%r2]; mul.f32 %r4, %r4, 0f00000000; add.f32 %out, %x, %r4;",
               Doubled::shared_loads) == 1);
}

}  // namespace doubling_test
