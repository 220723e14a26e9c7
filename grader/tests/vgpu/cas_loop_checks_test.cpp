// Loops around atomicCAS: the first read, a guess, is not a race; all other unordered accesses are.
#include "vgpu/checks.hpp"

namespace cas_loop_checks_test {

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
      {"ok_double_sum", {}},
      {"ok_float_maximum", {}},
      {"ok_read_again", {}},
      {"ok_member", {}},
      {"ok_half_words", {}},
      {"ok_volatile_guess", {}},
      {"ok_push", {}},
      {"ok_shared_sum", {}},
      {"ok_shared_maximum", {}},
      {"bad_read_behind", {K::global_race}},
      {"bad_guess_from_elsewhere", {K::global_race}},
      {"bad_computed_guess", {K::global_race}},
      {"bad_plain_store", {K::global_race}},
      {"bad_shared_read_behind", {K::shared_race}},
      {"bad_shared_without_barrier", {K::shared_race, K::warp_race}},
  };
  return all;
}

Checked run(const std::string& file, const char* kernel, vgpu::Checks checks) {
  return test::run_checked(file, kernel, {4, 1, 1}, {64, 1, 1}, checks);
}

std::string compiler_file() {
  return GENERATE(std::string("cas_loops_nvcc.ptx"), std::string("cas_loops_clang.ptx"));
}

}  // namespace

TEST_CASE("the first read of a loop around atomicCAS is not a race, other unordered reads are") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    const Checked checked = run(file, one.kernel, kAllChecks);
    for (const Fault& finding : checked.record.findings) UNSCOPED_INFO(test::described(finding));
    INFO(file << " " << one.kernel << " " << checked.record.error_detail);
    CHECK(checked.record.faults.empty());
    CHECK(test::kinds_of(checked.record.findings) == one.found);
  }
}

TEST_CASE("guesses change neither results nor counters nor the time") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    INFO(one.kernel);
    const Checked plain = run(file, one.kernel, {});
    const Checked checked = run(file, one.kernel, kAllChecks);
    CHECK(plain.out == checked.out);
    CHECK(plain.record.counters == checked.record.counters);
    CHECK(plain.record.time.run_s == checked.record.time.run_s);
  }
}

}  // namespace cas_loop_checks_test
