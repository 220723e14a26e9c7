// In place of instructors.cpp when the program is built for students only: the commands are recognised, and
// refused with advice.
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "base/diagnostic.hpp"

namespace grader::app {

const char* const kInstructorsExamples = "";

void add_instructors_commands(Subcommand root, CommandLine& line) {
  for (const char* name : {"grade", "export", "pictures", "report", "similarity", "attempts", "diff", "lint",
                           "release", "calibrate"}) {
    Subcommand command = root.subcommand(name, "For instructors; this program was built for students only");
    command.hide();
    command.ends_at_first_word();
    command.callback([name, &line] {
      line.chosen = [name](const Console& console) {
        return complain(console,
                        diagnose("WG-G71",
                                 fmt::format("`{}` is a command for instructors: this program was built with "
                                             "the preset `student`, which leaves it out",
                                             name),
                                 "build the complete program with `cmake --preset virtual && cmake --build "
                                 "--preset virtual --target warpgrade`"),
                        kUsage);
      };
    });
  }
}

}  // namespace grader::app
