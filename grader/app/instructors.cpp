// The commands that instructors and the kit's developers use.
#include "app/commands.hpp"

namespace grader::app {

const char* const kInstructorsExamples =
    R"(  warpgrade grade submissions --out results    grade a class
  warpgrade report results --out pages         a graded class as HTML pages
  warpgrade export results --format gradescope --out upload
  warpgrade diff results regraded              what a regrade changed, and why
)";

void add_instructors_commands(Subcommand root, CommandLine& line) {
  add_grade(root, line);
  add_export(root, line);
  add_pictures(root, line);
  add_report(root, line);
  add_similarity(root, line);
  add_attempts(root, line);
  add_grade_items(root, line);
  add_diff(root, line);
  add_lint(root, line);
  add_release(root, line);
  add_calibrate(root, line);
}

}  // namespace grader::app
