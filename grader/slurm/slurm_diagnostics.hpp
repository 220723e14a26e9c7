// Diagnostics about grading on a Slurm cluster (WG-G45 to WG-G53).
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "base/diagnostic.hpp"

namespace grader::slurm {

Diagnostic slurm_missing(const std::string& tool);
Diagnostic job_refused(const std::string& complaint);
Diagnostic no_healthy_node(const std::set<std::string>& excluded, const std::string& complaint,
                           const std::string& log);
Diagnostic answer_not_understood(const std::string& complaint);
Diagnostic controller_silent(const std::string& complaint);
Diagnostic jobs_left(const std::string& complaint);
/// No task left a log. `last` describes the state of the last task.
Diagnostic folder_not_shared(const std::filesystem::path& folder, const std::string& last);
/// No attempt at an item left a result. `last` describes the state of the last task; `log` is the end of its
/// log.
Diagnostic given_up(unsigned attempts, const std::string& last, const std::string& log);

}  // namespace grader::slurm
