#include "export/per_submission.hpp"

#include "base/json.hpp"

namespace grader {

Exported file_for_each(const ClassResults& all,
                       const std::function<std::optional<std::string>(const GradedSubmission&)>& make) {
  Exported exported;
  for (const GradedSubmission& one : all.submissions) {
    if (one.file_name.empty()) continue;
    if (auto bytes = make(one))
      exported.files.push_back({one.file_name, *std::move(bytes)});
    else
      exported.left_out.push_back({one.id, kNoGrade});
  }
  return exported;
}

std::string joined(const std::vector<std::string>& lines, std::size_t max_bytes) {
  std::string text;
  for (const std::string& line : lines) {
    if (text.size() + line.size() + 1 > max_bytes) return text + (text.empty() ? "" : "\n") + "…";
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

std::string dump(const nlohmann::ordered_json& json, int indent) { return json_text(json, indent); }

}  // namespace grader
