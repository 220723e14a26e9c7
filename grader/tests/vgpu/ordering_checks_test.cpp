// Flags and locks order threads if fences are part of them; volatile accesses and atomics alone do not.
#include "vgpu/checks.hpp"

namespace ordering_checks_test {

using test::Checked;
using test::kAllChecks;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

struct Case {
  const char* kernel;
  std::set<FaultKind> found;
};

const std::vector<Case>& cases() {
  using K = FaultKind;
  static const std::vector<Case> all{
      {"bad_volatile_neighbour_in_shared_memory", {K::shared_race}},
      {"ok_volatile_neighbour_after_barrier", {}},
      {"bad_volatile_neighbour_in_global_memory", {K::global_race}},
      {"bad_volatile_sum_of_blocks", {K::global_race}},
      {"bad_volatile_sum_of_warps", {K::global_race}},
      {"ok_volatile_within_warp", {}},
      {"ok_flag_between_blocks", {}},
      {"bad_flag_without_acquire", {K::global_race}},
      {"bad_flag_without_release", {K::global_race}},
      {"ok_flag_within_block", {}},
      {"ok_lock", {}},
      {"bad_lock_without_acquire", {K::global_race}},
      {"bad_lock_with_acquire_for_block", {K::global_race}},
      {"ok_lock_of_block", {}},
      {"bad_lock_of_warps_without_acquire", {K::shared_race}},
      {"ok_lock_of_warps", {}},
      {"bad_sum_of_block_scope", {K::global_race}},
      {"ok_sum_of_block_scope", {}},
      {"bad_exchange_of_block_scope", {K::global_race}},
  };
  return all;
}

Checked run(const std::string& file, const char* kernel, vgpu::Checks checks, unsigned cpu_threads = 1) {
  return test::run_checked(file, kernel, {4, 1, 1}, {64, 1, 1}, checks, cpu_threads);
}

std::string compiler_file() {
  return GENERATE(std::string("ordering_nvcc.ptx"), std::string("ordering_clang.ptx"));
}

}  // namespace

TEST_CASE("flags and locks order threads only with fences on both sides") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    const Checked checked = run(file, one.kernel, kAllChecks);
    for (const Fault& finding : checked.record.findings) UNSCOPED_INFO(test::described(finding));
    INFO(file << " " << one.kernel << " " << checked.record.error_detail);
    CHECK(checked.record.faults.empty());
    CHECK(test::kinds_of(checked.record.findings) == one.found);
  }
}

TEST_CASE(
    "checks of flags and locks change neither results nor counters, nor does the number of processors") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    INFO(one.kernel);
    const Checked plain = run(file, one.kernel, {});
    const Checked checked = run(file, one.kernel, kAllChecks, 3);
    CHECK(plain.out == checked.out);
    CHECK(plain.record.counters == checked.record.counters);
  }
}

}  // namespace ordering_checks_test
