// What the formats with a file for each submission share.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "export/formats.hpp"
#include "export/shown.hpp"

namespace grader {

/// Calls `make` for each submission; where it gives nothing, the submission is left out for lack of a grade.
Exported file_for_each(const ClassResults& all,
                       const std::function<std::optional<std::string>(const GradedSubmission&)>& make);

inline constexpr const char* kNoGrade = "no grade: the grader or its machine failed; grade it again";

/// Lines joined by \n; at most `max_bytes`.
std::string joined(const std::vector<std::string>& lines, std::size_t max_bytes = 8192);

/// Texts that are no UTF-8 get U+FFFD.
std::string dump(const nlohmann::ordered_json& json, int indent);

}  // namespace grader
