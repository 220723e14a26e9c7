// Shared code of the formats that write one file per submission.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "export/formats.hpp"
#include "export/shown.hpp"

namespace grader {

/// Calls `make` for each submission. If it returns nullopt, the submission is left out because it has no
/// grade.
Exported file_for_each(const ClassResults& all,
                       const std::function<std::optional<std::string>(const GradedSubmission&)>& make);

inline constexpr const char* kNoGrade = "no grade: the grader or its machine failed; grade it again";

/// Joins the lines with \n; the text has at most `max_bytes`.
std::string joined(const std::vector<std::string>& lines, std::size_t max_bytes = 8192);

/// Serialises the JSON. Bytes that are not UTF-8 are replaced by U+FFFD.
std::string dump(const nlohmann::ordered_json& json, int indent);

}  // namespace grader
