// Options that a site requires for each job: `--slurm-option partition=gpu`. Pure. Covered by
// slurm/options_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"

namespace grader::slurm {

/// Values by option name, without the dashes: {"partition", "gpu"}.
using SiteOptions = std::map<std::string, std::string>;

/// Parses KEY=VALUE arguments. Only options that choose where and how a task runs are accepted, because
/// others would break assumptions of the executor. Usage errors: an unknown key (with the most similar known
/// key), a key that is given twice, or an invalid value.
Expected<SiteOptions, Diagnostic> read_site_options(const std::vector<std::string>& words);

/// "account, constraint, …", for messages and --help.
std::string known_site_options();

}  // namespace grader::slurm
