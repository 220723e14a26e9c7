#include "schedule/class_made_up.hpp"

#include <thread>

#include "base/sha256.hpp"
#include "sandbox/boxes.hpp"

namespace testing {

using namespace grader;
namespace fs = std::filesystem;

namespace {

Provenance provenance_of(const std::string& source) {
  Provenance how;
  how.grader_version = "0.1.0";
  how.rubric_sha256 = "rubric";
  how.source_sha256 = sha256_hex(source);
  how.front_end = "nvcc";
  how.compiler = "nvcc 13.0.88";
  how.device = "virtual";
  how.profile = "lecture";
  how.time_limit_s = 20;
  return how;
}

Result graded(const std::string& lab, const std::string& submission, const std::string& source) {
  Result result{submission, lab, {}, provenance_of(source)};
  result.score.score = static_cast<double>(source.size() % 10);
  result.score.max_score = 9;
  return result;
}

Result not_graded(const std::string& lab, const std::string& submission, Verdict verdict,
                  const Diagnostic& reason) {
  Result result{submission, lab, {}, provenance_of("")};
  result.provenance.source_sha256.clear();
  result.score.status =
      verdict == Verdict::grader_fault ? ResultStatus::grader_fault : ResultStatus::rejected;
  result.score.verdict = verdict;
  Check build;
  build.id = "build";
  build.status = CheckStatus::fail;
  build.diagnostics = {reason};
  result.score.checks = {build};
  return result;
}

}  // namespace

Graders made_up_graders() {
  return {[](const std::string& lab, const fs::path& source, const std::vector<std::string>& submissions,
             const auto& sink) {
            const std::string bytes = text_of(source);
            std::this_thread::sleep_for(std::chrono::microseconds(bytes.size() % 3 * 300));
            for (std::size_t i = 0; i < submissions.size(); ++i) sink(i, graded(lab, submissions[i], bytes));
          },
          [](const std::string& lab, const std::string& submission, Verdict verdict,
             const Diagnostic& reason) { return not_graded(lab, submission, verdict, reason); }};
}

Lab made_up_lab(const std::string& id) {
  Lab made;
  made.id = id;
  made.sources = {"tiled_matmul.cu"};
  return made;
}

RunSettings made_up_settings(const std::vector<Lab>& labs) {
  const Provenance how = provenance_of("");
  RunSettings settings{how.grader_version,
                       how.front_end,
                       how.compiler,
                       how.device,
                       how.profile,
                       how.gpu,
                       how.time_limit_s,
                       "",
                       {}};
  for (const Lab& lab : labs) settings.rubrics[lab.id] = how.rubric_sha256;
  return settings;
}

MadeUpClass::MadeUpClass(std::size_t count, std::vector<Lab> labs_of)
    : labs(std::move(labs_of)), settings(made_up_settings(labs)), folder_("class") {
  fs::create_directory(folder_.path() / "submissions");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = std::to_string(100 + i).insert(0, 1, 's');
    for (const Lab& lab : labs) hand_in(id, id + std::string(i, 'x'), lab.id);
  }
}

fs::path MadeUpClass::file(const std::string& id, const std::string& lab) const {
  return folder_.path() / "submissions" / id / lab / "tiled_matmul.cu";
}

void MadeUpClass::hand_in(const std::string& id, const std::string& bytes, const std::string& lab) {
  fs::create_directories(file(id, lab).parent_path());
  if (!write_file_atomically(file(id, lab), bytes)) throw std::runtime_error("cannot write");
}

ClassOutcome MadeUpClass::grade(const Way& way, const Graders& graders) const {
  return run(way, [&](const fs::path& dir, const Manifest& manifest, const std::vector<std::size_t>& items,
                      const std::function<void(const ItemDone&)>& done) {
    ItemsOptions options;
    options.jobs = way.jobs;
    options.stop = way.stop;
    options.pause = {};
    options.done = done;
    return grade_items(dir, manifest, items, graders, options);
  });
}

ClassOutcome MadeUpClass::plan() const {
  return run({}, [](const auto&, const auto&, const auto&, const auto&) { return std::nullopt; });
}

ClassOutcome MadeUpClass::run(const Way& way, const Executor& executor) const {
  const auto list = find_submissions(folder_.path() / "submissions", labs, sandbox(), {});
  ClassOptions options;
  options.out = dir();
  options.earlier = way.earlier;
  options.settings = settings;
  options.stop = way.stop;
  options.rescore = way.rescore;
  options.owed = way.owed;
  return grade_class(labs, list->submissions, executor, options);
}

std::string text_of(const fs::path& file) { return *read_file(file, 1 << 20U); }

std::map<fs::path, std::string> contents(const fs::path& dir) {
  std::map<fs::path, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(dir)) {
    const fs::path name = entry.path().lexically_relative(dir);
    if (!entry.is_directory() && name != "journal.jsonl" && *name.begin() != "history")
      files[name] = text_of(entry.path());
  }
  return files;
}

}  // namespace testing
