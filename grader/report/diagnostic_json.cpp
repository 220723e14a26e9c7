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
          {"severity", name_of(diagnostic.severity)},
          {"what", diagnostic.what},
          {"where", std::move(where)},
          {"source_line", optional_text(diagnostic.source_line)},
          {"first", optional_text(diagnostic.first)},
          {"count", diagnostic.count},
          {"likely_cause", optional_text(diagnostic.likely_cause)},
          {"try", optional_text(diagnostic.next_step)}};
}

Diagnostic diagnostic_from_json(const nlohmann::ordered_json& json) {
  const auto text = [&](const char* key) {
    return json.at(key).is_null() ? std::string() : json.at(key).get<std::string>();
  };
  Diagnostic diagnostic = diagnose(text("code"), text("what"), text("try"));
  diagnostic.severity = severity_named(text("severity"));
  if (const auto& where = json.at("where"); !where.is_null())
    diagnostic.where = SourceLocation{where.at("file").get<std::string>(), where.at("line").get<int>()};
  diagnostic.source_line = text("source_line");
  diagnostic.first = text("first");
  diagnostic.count = json.at("count").get<std::uint64_t>();
  diagnostic.likely_cause = text("likely_cause");
  return diagnostic;
}

}  // namespace grader
