// What grades labs in this process, and the settings that decide what comes out: shared by `grade` and by
// `grade-items`, which does a part of its work elsewhere.
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
  /// `seed_file`: path, may be empty. `session` must outlive the graders. The error is about the seed file.
  static Expected<LabGraders, Diagnostic> open(const Session& session, std::vector<Lab> labs,
                                               const std::string& seed_file);

  /// Valid as long as this object; what it makes is documented at Graders.
  Graders graders() const;
  RunSettings settings() const;
  /// Grading::score_anew() of the result's lab.
  std::optional<Result> score_anew(const Result& stored) const;

 private:
  LabGraders() = default;

  std::map<std::string, std::unique_ptr<Grading>> gradings_;  ///< by lab
  RunSettings settings_;
};

}  // namespace grader::app
