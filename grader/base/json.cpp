#include "base/json.hpp"

#include <nlohmann/json.hpp>

namespace grader {

using Json = nlohmann::ordered_json;

Json json_from(std::string_view text) { return Json::parse(text, nullptr, false); }

Json valid_json_from(std::string_view text) { return Json::parse(text); }

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace grader
