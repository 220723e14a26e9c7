#include "schedule/case_library.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "runner/host_load.hpp"
#include "schedule/timed_turns.hpp"

namespace grader {
namespace {

const Workload& workload_of(const Lab& lab) {
  const Workload* workload = find_workload(lab.workload);
  if (workload == nullptr) throw std::invalid_argument("the lab's workload does not exist: " + lab.workload);
  return *workload;
}

std::string fingerprint(const std::vector<harness::Input>& inputs) {
  std::string bytes;
  for (const harness::Input& input : inputs) {
    bytes += fmt::format("{} {}\n", input.name, fmt::join(input.shape, "x"));
    bytes.append(reinterpret_cast<const char*>(input.values.data()), input.values.size() * sizeof(float));
  }
  return sha256_hex(bytes);
}

Expected<PreparedCase, std::string> make(const Lab& lab, const Workload& workload, const Case& definition) {
  auto job = make_job(lab, definition);
  if (!job) return Unexpected{job.error()};
  PreparedCase prepared;
  prepared.definition = &definition;
  prepared.workload = &workload;
  prepared.quantities = workload.quantities(*job);
  prepared.inputs_sha256 = fingerprint(job->inputs);
  prepared.job = *std::move(job);
  return prepared;
}

}  // namespace

CaseLibrary::CaseLibrary(const Lab& lab) : lab_(lab), workload_(workload_of(lab)) {
  for (const Case& one : lab.cases) {  // Insert all keys now, so that the maps never change and need no lock.
    cases_[one.name];
    expected_[one.name];
    shown_[one.name];
    shown_rotations_[one.name] = draw_rotation();
  }
}

const Expected<PreparedCase, std::string>& CaseLibrary::prepare(const std::string& case_name) {
  return cases_.at(case_name).get([&] { return make(lab_, workload_, *lab_.find_case(case_name)); });
}

const std::vector<Expectation>& CaseLibrary::expected(const PreparedCase& prepared) {
  return *expected_.at(prepared.definition->name)
              .get([&]() -> Expected<std::vector<Expectation>, std::string> {
                const HostLoad load;
                return workload_.expect(prepared.job);
              });
}

const ShownInputs& CaseLibrary::shown(const PreparedCase& prepared) {
  return *shown_.at(prepared.definition->name).get([&]() -> Expected<ShownInputs, std::string> {
    const HostLoad load;
    ShownInputs shown;
    shown.job = harness::rotated(prepared.job, shown_rotation(prepared));
    shown.expected = workload_.expect(shown.job);
    return shown;
  });
}

std::uint64_t CaseLibrary::shown_rotation(const PreparedCase& prepared) const {
  return shown_rotations_.at(prepared.definition->name);
}

}  // namespace grader
