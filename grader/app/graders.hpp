// The labs' graders in this process, and the settings that determine the results. Used by `grade` and by
// `grade-items`, which grades a part of a run on another machine.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session.hpp"
#include "schedule/grade_items.hpp"

namespace grader::app {

class LabGraders {
 public:
  /// `seed_file` is a path; empty: none. `session` must outlive the graders. The error describes a problem
  /// with the seed file.
  static Expected<LabGraders, Diagnostic> open(const Session& session, std::vector<Lab> labs,
                                               const std::string& seed_file);

  /// The returned functions are valid as long as this object. Their results are documented at Graders.
  Graders graders() const;
  AnswerGrader answer_grader() const;
  RunSettings settings() const;
  /// Calls Grading::rescore() of the result's lab; nullopt if the lab is not open here.
  std::optional<Result> rescore(const Result& stored) const;

 private:
  LabGraders() = default;

  std::map<std::string, std::unique_ptr<Grading>> gradings_;  ///< by lab
  RunSettings settings_;
};

}  // namespace grader::app
