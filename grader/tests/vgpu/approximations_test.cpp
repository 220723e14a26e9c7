// Which approximate functions a kernel uses, and what their results can reach.
#include "vgpu/gpu.hpp"

namespace approximations_test {

using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

vgpu::Approximations found_in(const std::string& body) {
  const std::string registers = R"(
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<8>;
    .shared .align 16 .b8 s[128];
    ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1;
  )";
  vgpu::DeviceOptions options;
  options.finds_approximations = true;
  Gpu gpu(kernel_text(".param .u64 in", registers + body + "\n ret;"), options);
  const auto record = gpu.launch("k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(64)));
  REQUIRE(record.approximations);
  return *record.approximations;
}

constexpr const char* kExponential = "\n.loc 1 5 1\n ex2.approx.f32 %f2, %f1;\n";

}  // namespace

TEST_CASE("a kernel without approximate functions has none") {
  const auto found = found_in("div.rn.f32 %f2, %f1, %f1; sqrt.rn.f32 %f3, %f2; st.global.f32 [%rd1], %f3;");
  CHECK(found.functions.empty());
  CHECK((!found.branch && !found.address && !found.barrier));
}

TEST_CASE("functions are counted by form, with the line of the first") {
  const auto found = found_in(std::string(kExponential) +
                              ".loc 1 6 1\n ex2.approx.f32 %f3, %f2; div.full.f32 %f4, %f3, %f2;"
                              "st.global.f32 [%rd1], %f4;");
  REQUIRE(found.functions.size() == 2);
  CHECK(found.functions[0] == vgpu::Approximations::Function{"ex2.approx.f32", 2, {"test.cu", 5}});
  CHECK(found.functions[1] == vgpu::Approximations::Function{"div.full.f32", 1, {"test.cu", 6}});
  CHECK((!found.branch && !found.address && !found.barrier));
}

TEST_CASE("a result in a condition is reported, through arithmetic and predicates") {
  const auto found = found_in(std::string(kExponential) + R"(
    .loc 1 8 1
    add.f32 %f3, %f2, %f1; setp.gt.f32 %p1, %f3, 0f3F800000; not.pred %p2, %p1;
    .loc 1 9 1
    @%p2 bra DONE;
    st.global.f32 [%rd1], %f3;
    DONE:)");
  REQUIRE(found.branch);
  CHECK(found.branch->line == 9);
  CHECK((!found.address && !found.barrier));
}

TEST_CASE("a result in an address is reported, also if it took the way through shared memory") {
  const auto direct = found_in(std::string(kExponential) + R"(
    cvt.rzi.u32.f32 %r2, %f2; and.b32 %r2, %r2, 63; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
    .loc 1 12 1
    ld.global.f32 %f4, [%rd3];)");
  REQUIRE(direct.address);
  CHECK(direct.address->line == 12);
  CHECK(!direct.branch);
  const auto by_memory = found_in(std::string(kExponential) + R"(
    st.shared.f32 [s], %f2; bar.sync 0; ld.shared.u32 %r3, [s]; and.b32 %r3, %r3, 63;
    mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2; ld.global.f32 %f4, [%rd3];)");
  CHECK(by_memory.address);
  const auto other_memory = found_in(std::string(kExponential) + R"(
    st.shared.f32 [s], %f2; ld.global.u32 %r3, [%rd1]; and.b32 %r3, %r3, 63;
    mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2; ld.global.f32 %f4, [%rd3];)");
  CHECK(!other_memory.address);
}

TEST_CASE(
    "a barrier that only some threads reach because of a result is reported, one after the join is not") {
  const std::string condition =
      std::string(kExponential) + "setp.gt.f32 %p1, %f2, 0f00000000; @%p1 bra DONE;";
  const auto inside = found_in(condition + ".loc 1 20 1\n bar.sync 0; DONE:");
  REQUIRE(inside.barrier);
  CHECK(inside.barrier->line == 20);
  const auto after = found_in(condition + "add.u32 %r1, %r1, 1; DONE: bar.sync 0;");
  CHECK(after.branch);
  CHECK(!after.barrier);
  const auto after_leaving =
      found_in(std::string(kExponential) + "setp.gt.f32 %p1, %f2, 0f7F000000; @%p1 ret; bar.sync 0;");
  CHECK(after_leaving.barrier);
}

TEST_CASE("a barrier in a loop that a result ends is reported") {
  const auto found = found_in(std::string(kExponential) + R"(
    mov.u32 %r4, 0;
    LOOP: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2; setp.lt.and.f32 %p1, %f2, 0f00000000, %p2;
    @%p1 bra LOOP;)");
  CHECK(found.branch);
  CHECK(found.barrier);
}

TEST_CASE("an exact condition makes no barrier suspicious") {
  const auto found =
      found_in(std::string(kExponential) +
               "st.global.f32 [%rd1], %f2; setp.lt.u32 %p1, %r1, 64; @%p1 bra IN; bra DONE; IN: "
               "bar.sync 0; DONE:");
  CHECK((!found.branch && !found.barrier));
}

TEST_CASE("nothing is analysed unless the device is asked to") {
  Gpu gpu(kernel_text(".param .u64 in", "ret;"));
  CHECK_FALSE(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0})).approximations);
}

}  // namespace approximations_test
