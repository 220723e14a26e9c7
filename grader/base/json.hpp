// Parsing and printing of JSON. Compiled once: nlohmann's parser and serializer take seconds in every file
// that instantiates them. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace grader {

/// Arrays and objects in one another, more than any document of the kit has. Printing a value recurses once
/// per level, so a deeper text could overflow the stack.
inline constexpr int kMaxJsonDepth = 64;

/// The text up to the bracket that exceeds kMaxJsonDepth, which is not valid JSON; the whole text if none
/// does.
std::string_view within_json_depth(std::string_view text);

/// The document, its keys in the order of the text; a discarded value if `text` is not JSON or too deep.
nlohmann::ordered_json json_from(std::string_view text);
/// The same, but throws nlohmann::json::parse_error.
nlohmann::ordered_json valid_json_from(std::string_view text);

/// The text on one line, or with `indent` spaces per level. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace grader
