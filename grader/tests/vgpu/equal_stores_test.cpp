// Threads that all store the same value and read it back: a race, but harmless.
#include "vgpu/gpu.hpp"

namespace equal_stores_test {

using vgpu::Fault;
using vgpu::FaultKind;

namespace {

/// The findings of a kernel that gets %cell in the space, with 0 in global memory, and %out; %t is the
/// thread.
std::vector<Fault> findings(const std::string& space, std::string body, std::uint32_t blocks = 1) {
  for (std::size_t at = 0; (at = body.find("SPACE", at)) != std::string::npos;) body.replace(at, 5, space);
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  const std::string cell = space == "shared" ? "mov.u64 %cell, tile;" : "ld.param.u64 %cell, [cell];";
  test::Gpu gpu(test::kernel_text(".param .u64 cell, .param .u64 out", R"(
    .shared .align 4 .b8 tile[64];
    .reg .pred %p<4>; .reg .b32 %r<9>, %t; .reg .b64 %cell, %out, %wide;
    ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r2, %r2, %r1, %t; mul.wide.u32 %wide, %r2, 4; add.u64 %out, %out, %wide; mov.u32 %r3, 7;
)" + cell + body + "\nret;"),
                options);
  const auto arguments = test::pack(gpu.zeros<std::uint32_t>(16), gpu.zeros<std::uint32_t>(1024));
  return gpu.run("k", {blocks, 1, 1}, {64, 1, 1}, arguments).findings;
}

enum class Expected { nothing, notes, errors };

Expected result_of(const std::vector<Fault>& found) {
  if (found.empty()) return Expected::nothing;
  const auto is_note = [](const Fault& one) { return one.is_harmless; };
  return std::all_of(found.begin(), found.end(), is_note) ? Expected::notes : Expected::errors;
}

const std::string kStore = ".loc 1 1 0\n st.volatile.SPACE.u32 [%cell], %r3;";
const std::string kReadBack = ".loc 1 2 0\n ld.volatile.SPACE.u32 %r4, [%cell]; st.global.u32 [%out], %r4;";
const std::string kIfFirst = "setp.ne.u32 %p1, %t, 0; @%p1 bra E;";
const std::string kIfWarp = "setp.ge.u32 %p1, %t, 32; @%p1 bra E;";

}  // namespace

TEST_CASE("threads that read back what all of them store are a note") {
  for (const std::string space : {"shared", "global"}) {
    INFO(space);
    CHECK(result_of(findings(space, kStore + kReadBack)) == Expected::notes);
    CHECK(result_of(findings(space, kStore + kReadBack + kStore)) == Expected::notes);
    CHECK(result_of(findings(space, kStore)) == Expected::nothing);
    CHECK(result_of(findings(space, kStore + "bar.sync 0;" + kReadBack)) == Expected::nothing);
  }
}

TEST_CASE("a read whose value depends on the order is an error, also if all stores are equal") {
  for (const std::string space : {"shared", "global"}) {
    INFO(space);
    // Only some threads store: the others read 0 or 7.
    CHECK(result_of(findings(space, kIfWarp + kStore + "E:" + kReadBack)) == Expected::errors);
    CHECK(result_of(findings(space, kIfFirst + kStore + "E:" + kReadBack)) == Expected::errors);
    // A thread reads before it stores.
    CHECK(result_of(findings("global", kReadBack + kStore)) == Expected::errors);
    CHECK(result_of(findings("global", kReadBack + kStore + kReadBack)) == Expected::errors);
    // The value changes later.
    const std::string change = ".loc 1 3 0\n mov.u32 %r3, 8; st.volatile.SPACE.u32 [%cell], %r3;";
    CHECK(result_of(findings(space, kStore + kReadBack + change)) == Expected::errors);
    CHECK(result_of(findings(space, "mov.u32 %r3, %t;" + kStore + kReadBack)) == Expected::errors);
  }
}

TEST_CASE("blocks that read back what all blocks store are a note") {
  CHECK(result_of(findings("global", kStore + kReadBack, 4)) == Expected::notes);
  CHECK(result_of(findings("global", kIfFirst + kStore + kReadBack + "E:", 4)) == Expected::notes);
  CHECK(result_of(findings("global", "mov.u32 %r3, %ctaid.x;" + kStore + kReadBack, 4)) == Expected::errors);
  CHECK(result_of(findings("global", kReadBack + kStore, 4)) == Expected::errors);
  // Block 0 only reads.
  const std::string others = "mov.u32 %r5, %ctaid.x; setp.eq.u32 %p1, %r5, 0; @%p1 bra E;";
  CHECK(result_of(findings("global", others + kStore + "E:" + kReadBack, 4)) == Expected::errors);
}

}  // namespace equal_stores_test
