// A strict validator for the part of JSON Schema 2020-12 that grader/schema/ uses. An unknown keyword is an
// error, so that no rule is silently ignored.
#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <regex.h>

namespace testing {

class SchemaCheck {
 public:
  using Json = nlohmann::json;

  explicit SchemaCheck(Json schema) : root_(std::move(schema)) {}

  /// Reads a schema from grader/schema/.
  static SchemaCheck of(const std::string& name) {
    std::ifstream file(std::string(WARPGRADE_SOURCE_DIR) + "/grader/schema/" + name);
    if (!file) throw std::runtime_error("cannot read the schema " + name);
    return SchemaCheck(Json::parse(file));
  }

  /// "/tasks/0/points: is below the minimum", …; empty: valid.
  std::vector<std::string> problems(const Json& document) const {
    std::vector<std::string> found;
    check(root_, document, "", found);
    return found;
  }

  const Json& schema() const { return root_; }

  /// Whether a document can omit this key at its top level.
  bool is_optional(const std::string& key) const {
    const Json required = root_.value("required", Json::array());
    return std::find(required.begin(), required.end(), key) == required.end();
  }

 private:
  using Problems = std::vector<std::string>;

  const Json& resolve(const std::string& reference) const {
    return root_.at(Json::json_pointer(reference.substr(1)));  // "#/$defs/name"
  }

  static bool has_type(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    throw std::runtime_error("unknown type " + type);
  }

  static bool has_any_type(const Json& value, const Json& types) {
    if (types.is_string()) return has_type(value, types.get<std::string>());
    return std::any_of(types.begin(), types.end(),
                       [&](const Json& type) { return has_type(value, type.get<std::string>()); });
  }

  /// Uses POSIX extended syntax, which equals JSON Schema's for the patterns that the schemas use.
  static bool matches(const std::string& text, const std::string& pattern) {
    regex_t compiled;
    if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
      throw std::runtime_error("bad pattern " + pattern);
    const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
    regfree(&compiled);
    return found;
  }

  int matching(const Json& alternatives, const Json& value, const std::string& path) const {
    return static_cast<int>(std::count_if(alternatives.begin(), alternatives.end(), [&](const Json& one) {
      Problems inner;
      check(one, value, path, inner);
      return inner.empty();
    }));
  }

  void check(const Json& schema, const Json& value, const std::string& path, Problems& found) const {
    for (const auto& [keyword, rule] : schema.items())
      if (!check_keyword(keyword, rule, value, path, found))
        throw std::runtime_error("unknown keyword " + keyword);
    check_members(schema, value, path, found);
  }

  /// False: the validator does not know the keyword.
  bool check_keyword(const std::string& keyword, const Json& rule, const Json& value, const std::string& path,
                     Problems& found) const {
    static const std::set<std::string> passive{"$schema",      "$id",   "title",      "description",
                                               "$defs",        "items", "properties", "additionalProperties",
                                               "propertyNames"};
    if (passive.contains(keyword)) return true;
    const auto require = [&](bool holds, const std::string& what) {
      if (!holds) found.push_back(path + ": " + what);
      return true;
    };
    if (keyword == "$ref") return check(resolve(rule.get<std::string>()), value, path, found), true;
    if (keyword == "type")
      return require(has_any_type(value, rule), "is " + value.dump() + ", not a " + rule.dump());
    if (keyword == "const") return require(value == rule, "is not " + rule.dump());
    if (keyword == "enum")
      return require(std::find(rule.begin(), rule.end(), value) != rule.end(),
                     value.dump() + " is not one of " + rule.dump());
    if (keyword == "oneOf")
      return require(matching(rule, value, path) == 1, "does not match exactly one of its forms");
    if (keyword == "anyOf") return require(matching(rule, value, path) >= 1, "matches none of its forms");
    if (keyword == "required") {
      for (const Json& key : rule)
        require(!value.is_object() || value.contains(key.get<std::string>()), "lacks " + key.dump());
      return true;
    }
    return check_size(keyword, rule, value, require);
  }

  static bool check_size(const std::string& keyword, const Json& rule, const Json& value,
                         const std::function<bool(bool, const std::string&)>& require) {
    const bool number = value.is_number(), text = value.is_string(), array = value.is_array();
    if (keyword == "minimum") return require(!number || value >= rule, "is below the minimum");
    if (keyword == "maximum") return require(!number || value <= rule, "is above the maximum");
    if (keyword == "exclusiveMinimum") return require(!number || value > rule, "is not above the minimum");
    if (keyword == "exclusiveMaximum") return require(!number || value < rule, "is not below the maximum");
    if (keyword == "minLength")
      return require(!text || value.get<std::string>().size() >= rule, "is too short");
    if (keyword == "maxLength")
      return require(!text || value.get<std::string>().size() <= rule, "is too long");
    if (keyword == "minItems") return require(!array || value.size() >= rule, "has too few elements");
    if (keyword == "maxItems") return require(!array || value.size() <= rule, "has too many elements");
    if (keyword == "uniqueItems")
      return require(!array || std::set<Json>(value.begin(), value.end()).size() == value.size(),
                     "repeats an element");
    if (keyword == "pattern")
      return require(!text || matches(value.get<std::string>(), rule.get<std::string>()),
                     value.dump() + " does not match " + rule.dump());
    return false;
  }

  void check_members(const Json& schema, const Json& value, const std::string& path, Problems& found) const {
    if (value.is_array() && schema.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i)
        check(schema["items"], value[i], path + "/" + std::to_string(i), found);
    if (!value.is_object()) return;
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, member] : value.items()) {
      const std::string inner = path + "/" + key;
      if (schema.contains("propertyNames")) check(schema["propertyNames"], key, inner, found);
      if (properties.contains(key)) {
        check(properties[key], member, inner, found);
      } else if (schema.contains("additionalProperties")) {
        const Json& rule = schema["additionalProperties"];
        if (rule.is_object()) check(rule, member, inner, found);
        if (rule == false) found.push_back(inner + ": is not a known key");
      }
    }
  }

  Json root_;
};

}  // namespace testing
