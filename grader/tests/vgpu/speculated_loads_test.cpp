// Loads that the compiler has moved before their condition: which they are, and that only their readers
// count.
#include "vgpu/analysis/speculated_loads.hpp"

#include <set>

#include "ptx/ptx_text.hpp"
#include "vgpu/gpu.hpp"

namespace speculated_loads_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::FaultKind;

namespace {

/// "0+" and "2-": the load with this number is for lanes for which its predicate holds, or does not.
std::set<std::string> loads_in(std::string_view body) {
  std::set<std::string> found;
  for (const auto& [load, readers] :
       vgpu::exec::speculated_loads(testing::kernel(".shared .align 4 .b8 tile[4]; " + std::string(body))))
    found.insert(std::to_string(load) + (readers.if_holds ? "+" : "-"));
  return found;
}

using Loads = std::set<std::string>;

/// Thread 0 of 64 stores to a variable in shared memory; `%p1` holds in all other threads. The kinds of
/// findings.
std::set<FaultKind> findings(const std::string& body) {
  vgpu::DeviceOptions options;
  options.checks = vgpu::Checks::all();
  Gpu gpu(kernel_text(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<6>; .reg .b64 %out; .shared .align 4 .b8 count[4];
    ld.param.u64 %out, [out]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0;
    @!%p1 st.shared.u32 [count], 5;
)" + body + " ret;"),
          options);
  std::set<FaultKind> kinds;
  for (const vgpu::Fault& one :
       gpu.run("k", {1, 1, 1}, {64, 1, 1}, pack(gpu.zeros<std::uint32_t>(64))).findings)
    if (!one.is_harmless) kinds.insert(one.kind);
  return kinds;
}

}  // namespace

TEST_CASE("a load whose comparison another condition decides is for the other lanes") {
  const std::string start = "setp.ne.s32 %p1, %r1, 0; ld.shared.u32 %r2, [tile]; setp.eq.s32 %p2, %r2, 0; ";
  CHECK(loads_in(start + "or.pred %p3, %p1, %p2; @%p3 bra E; st.global.u32 [%rd1], %r2; E: ret;") ==
        Loads{"1-"});
  CHECK(loads_in(start +
                 "or.pred %p3, %p1, %p2; @%p3 bra E; nanosleep.u32 1; st.global.u32 [%rd1], %r2; E: ret;") ==
        Loads{"1-"});
  CHECK(loads_in(start + "and.pred %p3, %p2, %p1; @!%p3 bra E; st.global.u32 [%rd1], %r2; E: ret;") ==
        Loads{"1+"});
  // clang jumps to the code under the condition.
  const std::string clang = "and.pred %p3, %p2, %p1; @!%p3 bra E; bra.uni B; B: st.global.u32 [%rd1], %r2; ";
  CHECK(loads_in(start + clang + "E: ret;") == Loads{"1+"});
  CHECK(loads_in(start + clang + "setp.eq.s32 %p2, %r1, 7; @%p2 bra B; E: ret;").empty());
  CHECK(loads_in(start + clang + "E: st.global.u32 [%rd1], %r2; ret;").empty());
  CHECK(loads_in(start + "and.pred %p3, %p1, %p2; selp.u32 %r3, 1, 0, %p3; ret;") == Loads{"1+"});
  CHECK(loads_in("setp.ne.s32 %p1, %r1, 0; ld.shared.u32 %r2, [tile]; selp.u32 %r3, %r2, 0, %p1; ret;") ==
        Loads{"1+"});
  CHECK(loads_in("setp.ne.s32 %p1, %r1, 0; ld.shared.u32 %r2, [tile]; selp.u32 %r3, 0, %r2, %p1; ret;") ==
        Loads{"1-"});
  CHECK(loads_in("setp.ne.s32 %p1, %r1, 0; ld.shared.u32 %r2, [tile]; and.b32 %r3, %r2, 1; "
                 "setp.eq.s32 %p2, %r3, 0; or.pred %p3, %p1, %p2; @%p3 bra E; E: ret;") == Loads{"1-"});
}

TEST_CASE("a load whose value other lanes can use is for all") {
  const std::string start = "setp.ne.s32 %p1, %r1, 0; ld.shared.u32 %r2, [tile]; setp.eq.s32 %p2, %r2, 0; ";
  // Used after the branch that the other lanes take, in a block that they reach, or before the condition.
  CHECK(
      loads_in(start + "or.pred %p3, %p1, %p2; @%p3 bra E; ret; E: st.global.u32 [%rd1], %r2; ret;").empty());
  CHECK(loads_in(start + "or.pred %p3, %p1, %p2; @!%p3 bra E; st.global.u32 [%rd1], %r2; E: ret;").empty());
  CHECK(loads_in(start + "or.pred %p3, %p1, %p2; @%p3 bra E; F: st.global.u32 [%rd1], %r2; bra F; E: ret;")
            .empty());
  CHECK(loads_in(start + "st.global.u32 [%rd1], %r2; or.pred %p3, %p1, %p2; @%p3 bra E; E: ret;").empty());
  CHECK(loads_in(start + "@%p2 bra E; or.pred %p3, %p1, %p2; E: ret;").empty());
  // The condition has its value only after the load, as in `count > 0 && t == 0`.
  CHECK(loads_in("ld.shared.u32 %r2, [tile]; setp.eq.s32 %p2, %r2, 0; setp.ne.s32 %p1, %r1, 0; "
                 "or.pred %p3, %p2, %p1; @%p3 bra E; E: ret;")
            .empty());
  CHECK(
      loads_in("setp.ne.s32 %p1, %r1, 0; ld.volatile.shared.u32 %r2, [tile]; selp.u32 %r3, %r2, 0, %p1; ret;")
          .empty());
}

TEST_CASE("a load that the compiler has moved before its condition is no race") {
  const std::string load = "ld.shared.u32 %r2, [count]; setp.eq.u32 %p2, %r2, 0; ";
  CHECK(findings(load + "or.pred %p3, %p1, %p2; @%p3 bra E; st.global.u32 [%out], %r2; E:").empty());
  CHECK(findings(load + "@%p2 bra E; @!%p1 st.global.u32 [%out], %r2; E:").contains(FaultKind::shared_race));
  // The same for warps that load before the store.
  CHECK(findings(
            "setp.lt.u32 %p2, %r1, 32; @!%p2 bra L; bar.sync 1, 64; @!%p1 st.shared.u32 [count], 6; bra E; "
            "L: ld.shared.u32 %r2, [count]; selp.u32 %r3, 0, %r2, %p1; st.global.u32 [%out], %r3; bar.arrive "
            "1, 64; E:")
            .empty());
}

}  // namespace speculated_loads_test
