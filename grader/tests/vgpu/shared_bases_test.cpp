// The shared array of which a kernel computes an address, and accesses outside of it.
#include "vgpu/analysis/shared_bases.hpp"

#include "vgpu/gpu.hpp"

namespace shared_bases_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::FaultKind;

namespace {

/// A kernel with two shared arrays of 32 words that stores to both; then `body`, with %i = the thread's
/// number times 4 in bytes and %n = 128 from memory.
std::vector<vgpu::Fault> findings(const std::string& body) {
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  Gpu gpu(kernel_text(".param .u64 in", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>, %i, %n; .reg .b64 %in;
    .shared .align 4 .b8 first[128]; .shared .align 4 .b8 second[128];
    ld.param.u64 %in, [in]; ld.global.u32 %n, [%in]; mov.u32 %i, %tid.x; shl.b32 %i, %i, 2;
    mov.u32 %r1, first; add.u32 %r1, %r1, %i; st.shared.u32 [%r1], %i;
    mov.u32 %r2, second; add.u32 %r2, %r2, %i; st.shared.u32 [%r2], %i;
    bar.sync 0;
)" + body + "\nret;"),
          options);
  const auto in = gpu.upload(std::vector<std::uint32_t>{128});
  return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(in)).findings;
}

}  // namespace

TEST_CASE("an index that leaves its shared array for another one is reported") {
  for (const std::string access :
       {"ld.shared.u32 %r4, [%r3];", "st.shared.u32 [%r3], %i;", "atom.shared.add.u32 %r4, [%r3], 1;"}) {
    const auto found = findings("add.u32 %r3, %r1, %n;" + access);
    INFO(access);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FaultKind::array_overflow);
    CHECK(found[0].variable == "first");
    CHECK(found[0].detail == "second");
    CHECK(found[0].count == 32);
    CHECK(found[0].nearest->distance_bytes == 4);
  }
  const auto below = findings("sub.u32 %r3, %r2, %n; ld.shared.u32 %r4, [%r3];");
  REQUIRE(below.size() == 1);
  CHECK(below[0].variable == "second");
  CHECK(below[0].nearest->distance_bytes == -128);
}

TEST_CASE("accesses inside their array are not reported, nor are those of an unknown array") {
  CHECK(findings(
            "ld.shared.u32 %r4, [%r1]; ld.shared.u32 %r5, [%r2]; ld.shared.v2.u32 {%r4, %r5}, [first+120];")
            .empty());
  // One of two arrays, by a condition.
  CHECK(findings("setp.eq.u32 %p1, %n, 128; selp.u32 %r3, %r2, %r1, %p1; ld.shared.u32 %r4, [%r3];").empty());
  // The distance of two arrays is an index.
  CHECK(findings("sub.u32 %r3, %r2, %r1; add.u32 %r3, %r3, %r1; ld.shared.u32 %r4, [%r3];").empty());
  // From memory.
  CHECK(findings("add.u32 %r3, %n, %i; ld.shared.u32 %r4, [%r3];").empty());
}

}  // namespace shared_bases_test
