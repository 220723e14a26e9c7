#include "export/sample_class.hpp"

#include <fstream>

#include "report/sample.hpp"

namespace testing {

using namespace grader;

namespace {

constexpr const char* kLab = "02-tiled-matmul";
const std::string kAttack =
    "=HYPERLINK(\"http://x\",\"]]><script>alert(1)</script>\") & 'q' \x1b[31m \x80\xff\x01, "
    "{\"scores\":{}}\n::error::x";

void add(ClassResults& all, const std::string& id, const std::string& file_name, Result result) {
  result.submission = id;
  all.summary.rows.push_back(class_row(result, "results/" + file_name + "/" + kLab + ".json"));
  all.submissions.push_back({id, file_name, {}, "", {std::move(result)}});
  all.summary.expected_rows = all.summary.rows.size();
}

Result attacking_result() {
  Result result = failing_result();
  for (Check& check : result.score.checks)
    for (Diagnostic& diagnostic : check.diagnostics) {
      diagnostic.what = "::set-output name=x::y ##[error]" + kAttack;
      diagnostic.source_line = kAttack;
      diagnostic.next_step = "::add-mask::x";
    }
  return result;
}

Result rejected_result() {
  Result result = compile_error_result();
  result.score.status = ResultStatus::rejected;
  result.score.verdict = Verdict::rejected;
  result.score.checks.front().diagnostics = {diagnose("WG-S10", "tiled_matmul.cu is missing", "hand it in")};
  return result;
}

Result fault_result() {
  Result result = compile_error_result();
  result.score.status = ResultStatus::grader_fault;
  result.score.verdict = Verdict::grader_fault;
  return result;
}

}  // namespace

ClassResults attacked_class() {
  ClassResults all;
  all.summary.labs = {kLab};
  add(all, "+bob/../" + kAttack, "_bob-0123456789abcdef", attacking_result());
  add(all, "alice", "alice", accepted_result());
  add(all, "carol", "carol", compile_error_result());
  add(all, "dora", "dora", rejected_result());
  add(all, "zoe", "zoe", fault_result());
  return all;
}

ClassResults secret_class() {
  Result result = failing_result();
  for (Check& check : result.score.checks)
    if (check.id == "boundary/17x33x65") check.visibility = Visibility::hidden;
  Check& wrong = result.score.checks.at(5);
  wrong.diagnostics.front().first = "P[3][7] is 12.5 when it should be 98.75";
  result.provenance.inputs["100x100x100"] = {std::nullopt, "dd"};
  result.provenance.seed_file = "0123456789abcdef";
  ClassResults all;
  all.summary.labs = {kLab};
  add(all, "alice", "alice", result);
  return all;
}

void write_class(const std::filesystem::path& folder, const ClassResults& all) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "summary.json", std::ios::binary) << summary_json(all.summary);
  for (const GradedSubmission& one : all.submissions)
    for (const Result& result : one.results) {
      const auto file = folder / "results" / one.file_name / (result.lab + ".json");
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << result_json(result);
    }
}

ClassResults with_identities(ClassResults all) {
  int number = 100;
  for (GradedSubmission& one : all.submissions) {
    const std::string digits = std::to_string(++number);
    one.identity = {.name = "=" + kAttack,
                    .email = "p" + digits + "@example.org",
                    .lms_id = digits,
                    .sis_id = "S" + digits,
                    .login = "login" + digits,
                    .id_number = "N" + digits,
                    .section = "Group, \"A\""};
  }
  return all;
}

}  // namespace testing
