// Values that mean nothing: reads of unwritten memory that change no result are harmless, all others are not.
#include "vgpu/gpu.hpp"

namespace value_flow_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::FaultKind;

namespace {

/// The findings of a kernel that gets %value from unwritten memory and %known = 1, in all lanes.
std::vector<vgpu::Fault> findings(const std::string& body, std::uint32_t threads = 32) {
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  Gpu gpu(kernel_text(".param .u64 fresh, .param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>, %value, %known, %thread; .reg .b64 %fresh, %out, %wide;
    ld.param.u64 %fresh, [fresh]; ld.param.u64 %out, [out]; mov.u32 %thread, %tid.x; mov.u32 %known, 1;
    ld.global.u32 %value, [%fresh];
)" + body + "\nret;"),
          options);
  const auto fresh = *gpu.device.allocate(4096);
  const auto out = gpu.zeros<std::uint32_t>(1024);
  return gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(fresh, out)).findings;
}

void check_harmless(const std::string& body) {
  const auto found = findings(body);
  INFO(body);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FaultKind::uninitialised_read);
  CHECK(found[0].is_harmless);
}

void check_used(const std::string& body) {
  const auto found = findings(body);
  INFO(body);
  REQUIRE(found.size() >= 1);
  CHECK(found[0].kind == FaultKind::uninitialised_read);
  CHECK_FALSE(found[0].is_harmless);
}

}  // namespace

TEST_CASE("an unwritten value is harmless if it is not used, overwritten or not selected") {
  check_harmless("");
  check_harmless("add.u32 %r1, %value, 5; mul.lo.u32 %r2, %r1, %r1; st.global.u32 [%out], %known;");
  check_harmless("mov.u32 %value, 7; st.global.u32 [%out], %value;");
  check_harmless("setp.eq.u32 %p1, %known, 1; selp.u32 %r1, %known, %value, %p1; st.global.u32 [%out], %r1;");
  check_harmless("setp.eq.u32 %p1, %known, 2; @%p1 st.global.u32 [%out], %value;");
  check_harmless("setp.eq.u32 %p1, %known, 1; @%p1 mov.u32 %value, %known; st.global.u32 [%out], %value;");
}

TEST_CASE("an unwritten value is used if it reaches memory, an address or a branch") {
  check_used("st.global.u32 [%out], %value;");
  check_used("add.u32 %r1, %value, 5; shl.b32 %r2, %r1, 1; st.global.u32 [%out], %r2;");
  check_used(
      "and.b32 %r1, %value, 4; cvt.u64.u32 %wide, %r1; add.u64 %wide, %wide, %out; st.global.u32 [%wide], "
      "%known;");
  check_used("setp.lt.s32 %p1, %value, 0; @%p1 bra E; st.global.u32 [%out], %known; E:");
  check_used("setp.lt.s32 %p1, %value, 0; @%p1 st.global.u32 [%out], %known;");
  check_used("setp.lt.s32 %p1, %value, 0; selp.u32 %r1, %known, 2, %p1; st.global.u32 [%out], %r1;");
  check_used("atom.global.add.u32 %r1, [%out], %value;");
  check_used("shfl.sync.idx.b32 %r1, %value, 0, 31, -1; st.global.u32 [%out], %r1;");
  check_used("add.cc.u32 %r1, %value, %value; addc.u32 %r2, 0, 0; st.global.u32 [%out], %r2;");
}

TEST_CASE("lanes are followed one by one") {
  // Only lane 0 has the unwritten value; only lane 1 stores.
  const std::string others_get_1 = "setp.ne.u32 %p1, %thread, 0; @%p1 mov.u32 %value, 1;";
  check_harmless(others_get_1 + "setp.eq.u32 %p2, %thread, 1; @%p2 st.global.u32 [%out], %value;");
  check_used(others_get_1 + "setp.eq.u32 %p2, %thread, 0; @%p2 st.global.u32 [%out], %value;");
  check_used(others_get_1 +
             "shfl.sync.idx.b32 %r1, %value, 0, 31, -1; setp.eq.u32 %p2, %thread, 1; @%p2 st.global.u32 "
             "[%out], %r1;");
  check_harmless(others_get_1 +
                 "shfl.sync.idx.b32 %r1, %value, 2, 31, -1; setp.eq.u32 %p2, %thread, 1; @%p2 st.global.u32 "
                 "[%out], %r1;");
}

TEST_CASE("the value of a lane that does not take part in a shuffle is reported if it is used") {
  const std::string sum =
      "mov.u32 %value, 1; shfl.sync.down.b32 %r1, %thread, 16, 31, -1; add.u32 %r2, %r1, 1;";
  const std::string store =
      "mul.wide.u32 %wide, %thread, 4; add.u64 %wide, %wide, %out; st.global.u32 [%wide], %r2;";
  const auto kinds = [](const std::vector<vgpu::Fault>& found) {
    std::vector<FaultKind> all;
    for (const vgpu::Fault& one : found)
      if (one.kind == FaultKind::absent_lane) all.push_back(one.kind);
    return all.size();
  };
  CHECK(kinds(findings(sum + store, 20)) == 1);
  CHECK(kinds(findings(sum + store, 32)) == 0);
  CHECK(kinds(findings(sum, 20)) == 0);
  // Lanes 0 to 3 read lanes 16 to 19, which exist.
  CHECK(kinds(findings(sum + "setp.lt.u32 %p1, %thread, 4; @!%p1 bra E;" + store + "E:", 20)) == 0);
  CHECK(kinds(findings(sum + "setp.lt.u32 %p1, %thread, 5; @!%p1 bra E;" + store + "E:", 20)) == 1);
  CHECK(kinds(findings("setp.ge.u32 %p1, %thread, 16; @%p1 exit;" + sum + store)) == 1);
}

TEST_CASE("atomics and volatile reads of unwritten memory are reported, although their block runs alone") {
  for (const std::string access :
       {"atom.global.add.u32 %r1, [%wide], 1; st.global.u32 [%out], %r1;",
        "ld.volatile.global.u32 %r1, [%wide]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%wide], %r1;"}) {
    const auto found =
        findings("add.u64 %wide, %fresh, 64; setp.ne.u32 %p1, %thread, 0; @%p1 exit; " + access);
    INFO(access);
    // The kernel has no line numbers, so that its load and this access are one finding.
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FaultKind::uninitialised_read);
    CHECK_FALSE(found[0].is_harmless);
    CHECK(found[0].count == 33);
  }
}

}  // namespace value_flow_test
