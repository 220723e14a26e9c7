#include "base/json.hpp"

#include <nlohmann/json.hpp>

namespace grader {

using Json = nlohmann::ordered_json;

std::string_view within_json_depth(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > kMaxJsonDepth)
      return text.substr(0, i);
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return text;
}

Json json_from(std::string_view text) { return Json::parse(within_json_depth(text), nullptr, false); }

Json valid_json_from(std::string_view text) { return Json::parse(within_json_depth(text)); }

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace grader
