// Two folders that `grade --out` wrote, compared, and one put in the place of the other as a whole: all of
// its results or, whenever the machine stops, none. Covered by schedule/compare_runs_test.cpp.
#pragma once

#include <filesystem>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "report/comparison.hpp"

namespace grader {

/// WG-G35: one of them is no such folder.
Expected<Comparison, Diagnostic> compare_runs(const std::filesystem::path& before,
                                              const std::filesystem::path& now);

/// Puts the manifest, sources, results, gradebook and summary of the folder `now` into `before`; what
/// `before` held goes to its history and its journal says so. `now` stays as it is. WG-G38: `now` is not
/// finished, or lacks results that `before` has; WG-G21, WG-G22, WG-G35.
std::optional<Diagnostic> apply_run(const std::filesystem::path& before, const std::filesystem::path& now);

/// Ends what an apply_run() that was killed had begun; without one, does nothing. For whoever directs the
/// folder (has its journal open). The error says why it cannot.
Expected<bool, std::string> finish_apply(const std::filesystem::path& dir);

}  // namespace grader
