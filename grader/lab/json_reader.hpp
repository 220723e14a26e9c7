// Strict reading of handwritten JSON files: every value is read with a type and a range, unknown and repeated
// keys are refused, and an error names the place as a path ("tasks[2].cases[0]"). Readers throw errors
// (JsonProblem); the function that reads a file catches them and creates a Diagnostic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/expected.hpp"

namespace grader {

/// Why a text is not JSON; line and column count from 1.
struct JsonSyntaxError {
  std::size_t line = 0, column = 0;
  std::string what;
};

/// Why a value is invalid. what() is one sentence that starts with the path.
class JsonProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws JsonProblem for a repeated key.
Expected<nlohmann::ordered_json, JsonSyntaxError> parse_json(std::string_view text);

/// One value and its path. Valid as long as the document. All members throw JsonProblem.
class JsonNode {
 public:
  explicit JsonNode(const nlohmann::ordered_json& value, std::string path = "")
      : value_(&value), path_(std::move(path)) {}

  /// Requires an object without other keys.
  void allow_keys(const std::vector<std::string>& keys) const;
  JsonNode at(const std::string& key) const;
  std::optional<JsonNode> find(const std::string& key) const;
  std::vector<std::pair<std::string, JsonNode>> members() const;  ///< of an object, in the file's order
  std::vector<JsonNode> elements() const;                         ///< of an array

  bool is_text() const { return value_->is_string(); }
  std::string text() const;  ///< 1 to 500 bytes without control characters
  std::string name() const;  ///< lower-case letters, digits, '-' and '_', at most 64: safe as a file name
  std::string one_of(const std::vector<std::string>& words) const;
  /// The element of `values` whose to_string() equals this text.
  template <class Values>
  auto word_of(const Values& values) const {
    std::vector<std::string> words;
    for (const auto value : values) words.emplace_back(to_string(value));
    const std::string word = one_of(words);
    return *std::find_if(values.begin(), values.end(), [&](auto value) { return to_string(value) == word; });
  }
  bool is_null() const { return value_->is_null(); }
  std::string any_text() const;  ///< any string
  bool boolean() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  double positive() const;  ///< a finite number above 0
  double number() const;    ///< a finite number

  /// "`path` <what>"
  [[noreturn]] void refuse(const std::string& what) const;
  /// "`path` is <value> when it should be <allowed>"
  [[noreturn]] void refuse_value(const std::string& allowed) const;

  const std::string& path() const { return path_; }

 private:
  const nlohmann::ordered_json* value_;
  std::string path_;
};

/// Lower-case letters, digits, '-' and '_', at most 64, not starting with '-' or '_'.
bool is_plain_name(std::string_view text);

}  // namespace grader
