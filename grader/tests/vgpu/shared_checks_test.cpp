// Races in shared memory and reads of unwritten shared memory: kernels in which they must be found, and
// kernels in which they must not.
#include "vgpu/checks.hpp"

namespace shared_checks_test {

using test::Checked;
using test::kAllChecks;
using test::run_checked;
using vgpu::Dim3;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

struct Case {
  const char* kernel;
  Dim3 block;
  std::set<FaultKind> found;
};

constexpr Dim3 kBlock{256, 1, 1};
constexpr Dim3 kWarp{32, 1, 1};

const std::vector<Case>& cases() {
  using K = FaultKind;
  static const std::vector<Case> all{
      {"bad_missing_barrier", kBlock, {K::shared_race}},
      {"ok_barrier", kBlock, {}},
      {"bad_missing_second_barrier", kBlock, {K::shared_race}},
      {"bad_missing_second_barrier_same_values", kBlock, {K::shared_race}},
      {"bad_unrolled_without_barrier", {32, 32, 1}, {K::shared_race}},
      {"ok_double_buffering", kBlock, {}},
      {"ok_atomic_counter", kBlock, {}},
      {"bad_atomic_before_barrier", kBlock, {K::shared_race}},
      {"bad_read_of_atomic", kBlock, {K::shared_race}},
      {"ok_same_value", kBlock, {}},
      {"bad_different_values", kBlock, {K::shared_race}},
      {"ok_early_return", kBlock, {}},
      {"ok_halo", kBlock, {}},
      {"bad_halo_overlap", kBlock, {K::shared_race}},
      {"ok_histogram", kBlock, {}},
      {"ok_scan_hillis_steele", kBlock, {}},
      {"ok_scan_blelloch", kBlock, {}},
      {"ok_reduction", kBlock, {}},
      {"ok_transpose_padded", {16, 16, 1}, {}},
      {"ok_bytes", kBlock, {}},
      {"bad_bytes", kBlock, {K::shared_race}},
      {"ok_producer_consumer", kBlock, {}},
      {"bad_wrong_barrier", kBlock, {K::shared_race}},
      {"bad_warp_without_sync", kWarp, {K::warp_race}},
      {"ok_warp_sync", kBlock, {}},
      {"bad_warp_volatile", kWarp, {K::warp_race}},
      {"ok_warp_reduction", kBlock, {}},
      {"ok_half_warps", kBlock, {}},
      {"bad_half_warps", kBlock, {K::warp_race}},
      {"ok_shuffle_between", kBlock, {}},
      {"bad_syncwarp_for_block", kBlock, {K::shared_race}},
      {"ok_lanes_agree", kBlock, {}},
      {"ok_warp_counts", kBlock, {}},
      {"bad_warp_counts", kBlock, {K::warp_race}},
      {"ok_lock", kBlock, {}},
      {"bad_lock_without_fence", kBlock, {K::shared_race}},
      {"ok_last_resets", kBlock, {}},
      {"ok_last_warp_sums", kBlock, {}},
      {"bad_last_resets_without_fence", kBlock, {K::shared_race}},
      {"bad_reset_by_one", kBlock, {K::shared_race}},
      {"ok_many_releases", kBlock, {}},
      {"bad_unwritten_shared", kBlock, {K::uninitialised_read}},
      {"bad_histogram_not_cleared", kBlock, {K::uninitialised_read}},
      {"bad_unwritten_rows", kBlock, {K::uninitialised_read}},
      {"ok_phases_of_loads", kBlock, {}},
      {"bad_store_after_many_loads", kBlock, {K::shared_race}},
      {"bad_store_after_loads_and_syncwarp", kBlock, {K::shared_race}},
      {"ok_padding", kBlock, {}},
      {"ok_early_return_with_atomic", kBlock, {}},
      {"ok_return_from_last_loop", kBlock, {}},
      {"ok_return_from_last_warp_loop", kBlock, {}},
  };
  return all;
}

std::string compiler_file() {
  return GENERATE(std::string("shared_nvcc.ptx"), std::string("shared_clang.ptx"));
}

const Fault& only_finding(const Checked& checked) {
  for (const Fault& finding : checked.record.findings) UNSCOPED_INFO(test::described(finding));
  REQUIRE(checked.record.findings.size() == 1);
  return checked.record.findings.front();
}

}  // namespace

TEST_CASE("races and unwritten reads in shared memory are found in every wrong kernel and in no right one") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    const Checked checked = run_checked(file, one.kernel, {2, 1, 1}, one.block, kAllChecks);
    for (const Fault& finding : checked.record.findings) UNSCOPED_INFO(test::described(finding));
    INFO(file << " " << one.kernel << " " << checked.record.error_detail);
    CHECK(checked.record.faults.empty());
    CHECK(test::kinds_of(checked.record.findings) == one.found);
  }
}

TEST_CASE("an update of a shared counter without atomics races between warps and within them") {
  const Checked checked = run_checked(compiler_file(), "bad_counter", {1, 1, 1}, kBlock, kAllChecks);
  CHECK(test::kinds_of(checked.record.findings).contains(FaultKind::shared_race));
}

TEST_CASE("lanes that store different values to one address with one instruction collide") {
  const Checked checked = run_checked(compiler_file(), "bad_lanes_collide", {1, 1, 1}, kBlock, kAllChecks);
  const Fault& found = only_finding(checked);
  CHECK(found.kind == FaultKind::lane_conflict);
  CHECK(found.thread == Dim3{1, 0, 0});
  REQUIRE(found.other);
  CHECK(found.other->thread == Dim3{0, 0, 0});
  CHECK(found.variable_offset == 0);
}

TEST_CASE("a race names both lines, both threads, the variable and the element") {
  const Checked checked = run_checked(compiler_file(), "bad_missing_barrier", {2, 1, 1}, kBlock, kAllChecks);
  const Fault& found = only_finding(checked);
  CHECK(found.kind == FaultKind::shared_race);
  CHECK(found.block == Dim3{0, 0, 0});
  // Warps run one after another, so that the second finds what the first has read.
  CHECK(found.is_store);
  CHECK(found.thread == Dim3{128, 0, 0});
  REQUIRE(found.other);
  CHECK_FALSE(found.other->is_store);
  CHECK(found.other->thread == Dim3{127, 0, 0});
  CHECK(found.other->source.line == found.source.line + 1);
  CHECK(found.variable.find("tile") != std::string::npos);
  CHECK(found.variable_offset == 128 * sizeof(int));
  CHECK(found.count == 2 * 256);  // the stores and the loads of the second half of each block
}

TEST_CASE("every lane that reads an unwritten word of shared memory is counted") {
  const Checked checked = run_checked(compiler_file(), "bad_unwritten_rows", {1, 1, 1}, kBlock, kAllChecks);
  const Fault& found = only_finding(checked);
  CHECK(found.count == 4 * 2 * 16);
  CHECK(found.thread == Dim3{48, 0, 0});
}

TEST_CASE("checks change neither results nor counters, and do not depend on the number of threads") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    INFO(one.kernel);
    const Checked plain = run_checked(file, one.kernel, {5, 1, 1}, one.block, {});
    const Checked checked = run_checked(file, one.kernel, {5, 1, 1}, one.block, kAllChecks);
    const Checked parallel = run_checked(file, one.kernel, {5, 1, 1}, one.block, kAllChecks, 3);
    CHECK(plain.record.findings.empty());
    CHECK(plain.out == checked.out);
    CHECK(plain.record.counters == checked.record.counters);
    CHECK(plain.record.time.total_s() == checked.record.time.total_s());
    REQUIRE(parallel.record.findings.size() == checked.record.findings.size());
    for (std::size_t i = 0; i < parallel.record.findings.size(); ++i)
      CHECK(test::described(parallel.record.findings[i]) == test::described(checked.record.findings[i]));
  }
}

TEST_CASE(
    "shared memory counts as used if a block both wrote and read it, and the block that used most counts") {
  // Each block writes words 0 to 31, of which the second half is dynamic. Block 0 reads words 0 to 19, block
  // 1 words 8 to 31.
  test::Gpu gpu(test::kernel_text("", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>; .shared .align 16 .b8 fixed[64];
    .extern .shared .align 16 .b8 asked[];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, fixed;
    mad.lo.u32 %r4, %r1, 4, %r3;
    st.shared.u32 [%r4], %r1;
    setp.eq.u32 %p1, %r2, 0; setp.ge.u32 %p2, %r1, 20; and.pred %p3, %p1, %p2;
    @%p3 bra DONE;
    setp.ne.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r1, 8; and.pred %p3, %p1, %p2;
    @%p3 bra DONE;
    ld.shared.u32 %r6, [%r4]; st.shared.u32 [%r4], %r6;
DONE:
    ret;)"),
                {.checks = kAllChecks});
  const auto use = [&](Dim3 grid, std::size_t asked) {
    return gpu.run("k", grid, {32, 1, 1}, {}, asked).shared_use;
  };
  CHECK(use({1, 1, 1}, 64) == vgpu::SharedUse{64, 16});
  CHECK(use({2, 1, 1}, 64) == vgpu::SharedUse{64, 64});
  test::Gpu unchecked(test::kernel_text("", "ret;"));
  CHECK(unchecked.run("k", {1, 1, 1}, {32, 1, 1}, {}).shared_use == vgpu::SharedUse{});
}

TEST_CASE("atomics on shared memory use it") {
  test::Gpu gpu(test::kernel_text("", R"(
    .reg .b32 %r<4>; .shared .align 4 .b8 count[8];
    mov.u32 %r1, count; st.shared.u32 [%r1+4], 0;
    atom.shared.add.u32 %r2, [%r1], 1;
    ret;)"),
                {.checks = {.races = true}});
  CHECK(gpu.run("k", {1, 1, 1}, {32, 1, 1}, {}).shared_use == vgpu::SharedUse{4, 0});
}

namespace {

/// Two warps; each thread has 8 bytes of `tile`: %r2 is the address of its own, %r3 of those of the thread 32
/// away.
std::vector<vgpu::Fault> findings_of_wide(const std::string& body) {
  test::Gpu gpu(test::kernel_text(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 8 .b8 tile[512];
    mov.u32 %r1, %tid.x; mov.u32 %r4, tile; ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, 8, %rd1;
    mad.lo.u32 %r2, %r1, 8, %r4; xor.b32 %r3, %r1, 32; mad.lo.u32 %r3, %r3, 8, %r4;
    cvt.u64.u32 %rd2, %r1;
)" + body + "\nst.global.u64 [%rd1], %rd3;\nret;\n"),
                {.checks = test::kAllChecks});
  return gpu.run("k", {1, 1, 1}, {64, 1, 1}, test::pack(gpu.zeros<std::uint64_t>(64))).findings;
}

}  // namespace

TEST_CASE("loads of 8 bytes that wait for the next barrier race with a store before it") {
  const std::string store = "st.shared.u64 [%r2], %rd2;\n", meet = "bar.sync 0;\n";
  const std::string side_by_side = "ld.shared.u64 %rd3, [%r3];\n", uniform = "ld.shared.u64 %rd3, [%r4];\n";
  for (const std::string& load : {side_by_side, uniform}) {
    CHECK(findings_of_wide(store + meet + load + meet + store).empty());
    const auto found = findings_of_wide(store + meet + load + store);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FaultKind::shared_race);
  }
}

TEST_CASE("a barrier for fewer threads than reach it orders only those that fill it together") {
  const std::string store = "st.shared.u64 [%r2], %rd2;\n", load = "ld.shared.u64 %rd3, [%r3];\n";
  CHECK(findings_of_wide(store + "bar.sync 1, 64;\n" + load).empty());
  const auto found = findings_of_wide(store + "bar.sync 1, 32;\n" + load);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FaultKind::shared_race);
  CHECK(findings_of_wide(store + "bar.sync 1, 32;\nbar.sync 0;\n" + load).empty());
}

TEST_CASE("a load of 8 unwritten bytes after a barrier is found in every lane") {
  const auto found = findings_of_wide("bar.sync 0;\nld.shared.u64 %rd3, [%r3];\nbar.sync 0;\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FaultKind::uninitialised_read);
  CHECK(found[0].count == 64);
}

}  // namespace shared_checks_test
