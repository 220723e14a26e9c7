// What a site needs to be told with each job: `--slurm-option partition=gpu`. Pure. Covered by
// slurm/options_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"

namespace grader::slurm {

/// By name, without the dashes: {"partition", "gpu"}.
using SiteOptions = std::map<std::string, std::string>;

/// Reads KEY=VALUE words. Only options that choose where and how a task runs are taken: others would break
/// what the executor relies on. WG-G46: an unknown key (with the nearest known one), a key given twice, or a
/// value that no such option has.
Expected<SiteOptions, Diagnostic> read_site_options(const std::vector<std::string>& words);

/// "account, constraint, …", for messages and --help.
std::string known_site_options();

}  // namespace grader::slurm
