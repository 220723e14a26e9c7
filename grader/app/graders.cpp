#include "app/graders.hpp"

#include "lab/secret_seeds.hpp"

namespace grader::app {
namespace {

namespace fs = std::filesystem;

/// Options for a lab. If the checkout contains the lab's reference solution, it is timed too.
GradingOptions options_for(const Session& session, const Lab& lab, const std::string& seed_file) {
  GradingOptions options = grading_options();
  options.seed_file = seed_file;
  const fs::path solution = session.paths.root / "solutions" / lab.id / lab.sources.front();
  std::error_code error;
  if (fs::exists(solution, error)) options.reference = solution;
  return options;
}

}  // namespace

Expected<LabGraders, Diagnostic> LabGraders::open(const Session& session, std::vector<Lab> labs,
                                                  const std::string& seed_file) {
  std::optional<SecretSeeds> seeds;
  if (!seed_file.empty()) {
    auto read = read_secret_seeds(seed_file);
    if (!read) return Unexpected{read.error()};
    seeds = *std::move(read);
  }
  LabGraders made;
  for (Lab& lab : labs) {
    const std::string id = lab.id;
    GradingOptions options = options_for(session, lab, seeds ? seeds->fingerprint() : "");
    if (seeds) lab = seeds->applied_to(std::move(lab));
    made.gradings_[id] = std::make_unique<Grading>(std::move(lab), session.runners(), std::move(options));
  }
  std::map<std::string, std::string> rubrics;
  for (const auto& [id, grading] : made.gradings_) {
    made.settings_ = settings_of(grading->provenance());
    rubrics[id] = grading->provenance().rubric_sha256;
  }
  made.settings_.rubrics = std::move(rubrics);
  return made;
}

Graders LabGraders::graders() const {
  return {[this](const std::string& lab, const fs::path& source, const std::vector<std::string>& submissions,
                 const auto& sink) { gradings_.at(lab)->grade_same(submissions, source, sink); },
          [this](const std::string& lab, const std::string& submission, Verdict verdict, Diagnostic reason) {
            return gradings_.at(lab)->without_grade(submission, verdict, std::move(reason));
          },
          answer_grader()};
}

AnswerGrader LabGraders::answer_grader() const {
  return [this](const std::string& id, const std::string& text, const std::vector<std::string>& names,
                const CounterValues& counters) {
    const Lab& lab = gradings_.at(id)->lab();
    return text.empty() ? nothing_answered(lab, "") : grade_answers(lab, text, names, counters);
  };
}

std::optional<Result> LabGraders::rescore(const Result& stored) const {
  const auto grading = gradings_.find(stored.lab);
  return grading == gradings_.end() ? std::nullopt : grading->second->rescore(stored);
}

RunSettings LabGraders::settings() const { return settings_; }

}  // namespace grader::app
