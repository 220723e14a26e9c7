// The options of `profile` and `run` that choose what a profile shows, and the files to which it is written.
#pragma once

#include <optional>
#include <string>

#include "app/command.hpp"
#include "app/output.hpp"
#include "base/diagnostic.hpp"
#include "profile/run_profile.hpp"

namespace grader::app {

struct ProfileOutput {
  std::string page;      ///< file; empty: none
  std::string pictures;  ///< folder; empty: none
  std::string line;      ///< "31", "mine.cu:31"; empty: the most wasteful accesses
  bool first = false, ptx = false;

  bool is_wanted() const { return !page.empty() || !pictures.empty(); }
  void apply_to(RunProfile& profile) const;
  /// The named line is no line, or has no access; nullopt: no problem.
  std::optional<Diagnostic> problem_with(const RunProfile& profile) const;
  /// Whether the page's folder exists, to be known before a long run; nullopt: no problem.
  std::optional<Diagnostic> problem_with_page() const;
  /// Reports the files on stderr. False: a file could not be written.
  bool write(const RunProfile& profile, const Console& console) const;
};

void add_profile_output(Subcommand command, ProfileOutput& output);

}  // namespace grader::app
