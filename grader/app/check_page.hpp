// The page that `check` and `watch` print for a lab.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/session.hpp"
#include "report/check_text.hpp"

namespace grader::app {

/// Without the limits of timed kernels. `source_option`: the value of --source; empty: not given.
CheckPage check_page(const KitPaths& paths, const Lab& lab, const std::filesystem::path& source,
                     const std::string& source_option);

/// What limits the longest kernel of a case that the lab times on the virtual GPU; nullopt for other cases
/// and for runs on a real GPU.
std::optional<std::string> timed_limits(const Lab& lab, const CaseRun& run, const std::string& case_name);

}  // namespace grader::app
