// Parsing and printing of JSON. Compiled once: nlohmann's parser and serializer take seconds in every file
// that instantiates them. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace grader {

/// The document, its keys in the order of the text; a discarded value if `text` is not JSON.
nlohmann::ordered_json json_from(std::string_view text);
/// The same, but throws nlohmann::json::parse_error if `text` is not JSON.
nlohmann::ordered_json valid_json_from(std::string_view text);

/// The text on one line, or with `indent` spaces per level. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace grader
