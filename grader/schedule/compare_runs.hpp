// Compares two folders that `grade --out` wrote, and replaces the run in one by the run in the other. The
// replacement is atomic: if the machine stops, either all results are replaced or none. Covered by
// schedule/compare_runs_test.cpp.
#pragma once

#include <filesystem>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "report/comparison.hpp"

namespace grader {

/// Error WG-G35: one of the folders was not written by `grade --out`.
Expected<Comparison, Diagnostic> compare_runs(const std::filesystem::path& before,
                                              const std::filesystem::path& now);

/// Copies the manifest, sources, results, gradebook and summary of the folder `now` into `before`. The
/// replaced files of `before` move to its history, and its journal records that. `now` does not change.
/// Errors: WG-G38 if `now` is not finished or lacks results that `before` has; WG-G21, WG-G22, WG-G35.
std::optional<Diagnostic> apply_run(const std::filesystem::path& before, const std::filesystem::path& now);

/// Finishes an apply_run() that was killed; does nothing if there was none. The caller must have the folder's
/// journal open. The error is the reason why it cannot be finished.
Expected<bool, std::string> finish_apply(const std::filesystem::path& dir);

}  // namespace grader
