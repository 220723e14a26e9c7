#include "report/diagnostic_json.hpp"

#include <nlohmann/json.hpp>

namespace grader {

nlohmann::ordered_json to_json(const Diagnostic& diagnostic) {
  using Json = nlohmann::ordered_json;
  const auto optional_text = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json where = nullptr;
  if (diagnostic.where) where = {{"file", diagnostic.where->file}, {"line", diagnostic.where->line}};
  return {{"code", diagnostic.code},
          {"severity", diagnostic.severity == Severity::warning ? "warning" : "error"},
          {"what", diagnostic.what},
          {"where", std::move(where)},
          {"source_line", optional_text(diagnostic.source_line)},
          {"first", optional_text(diagnostic.first)},
          {"count", diagnostic.count},
          {"likely_cause", optional_text(diagnostic.likely_cause)},
          {"try", optional_text(diagnostic.next_step)}};
}

}  // namespace grader
