#include "lab/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/spelling.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

std::string member_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::string element_path(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

/// Follows the parser's events and refuses a repeated key in an object. The parser itself would silently use
/// the last value.
class RepeatedKeys {
 public:
  void follow(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start)
      open_.push_back({event == Event::array_start, 0, {}, {}});
    if (event == Event::key) add_key(parsed.get<std::string>());
    if (event == Event::object_end || event == Event::array_end) open_.pop_back();
    const bool complete = event == Event::value || event == Event::object_end || event == Event::array_end;
    if (complete && !open_.empty()) ++open_.back().index;
  }

 private:
  struct Container {
    bool is_array;
    std::size_t index;
    std::string key;
    std::set<std::string> keys;
  };

  /// Computed only on demand, because deep nesting makes long paths.
  std::string here() const {
    std::string path;
    for (const Container& one : open_)
      path = one.is_array ? element_path(path, one.index) : member_path(path, one.key);
    return path;
  }

  void add_key(const std::string& key) {
    open_.back().key = key;
    if (!open_.back().keys.insert(key).second) throw JsonProblem(fmt::format("`{}` is given twice", here()));
  }

  std::vector<Container> open_;
};

/// The error that follows the text `before`.
JsonSyntaxError syntax_error(std::string_view before, std::string what) {
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          before.size() - line_start + 1, std::move(what)};
}

JsonSyntaxError syntax_error(std::string_view text, const Json::exception& problem, std::size_t byte) {
  std::string what = problem.what();
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …"
  if (const std::size_t colon = what.find(": "); colon != std::string::npos) what.erase(0, colon + 2);
  return syntax_error(text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size())), what);
}

}  // namespace

Expected<Json, JsonSyntaxError> parse_json(std::string_view text) {
  if (const auto shallow = within_json_depth(text); shallow.size() < text.size()) {
    return Unexpected{syntax_error(
        shallow, fmt::format("arrays and objects are nested more than {} levels deep", kMaxJsonDepth))};
  }
  RepeatedKeys keys;
  const auto follow = [&keys](int, Json::parse_event_t event, Json& parsed) {
    keys.follow(event, parsed);
    return true;
  };
  try {
    return Json::parse(text, follow);
  } catch (const Json::parse_error& problem) {
    return Unexpected{syntax_error(text, problem, problem.byte)};
  } catch (const Json::exception& problem) {  // a number too large for a double
    return Unexpected{syntax_error(text, problem, 0)};
  }
}

bool is_plain_name(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto allowed = [&](char c) { return plain(c) || c == '-' || c == '_'; };
  return !text.empty() && text.size() <= 64 && plain(text.front()) &&
         std::all_of(text.begin(), text.end(), allowed);
}

void JsonNode::refuse(const std::string& what) const {
  throw JsonProblem(path_.empty() ? "the file " + what : fmt::format("`{}` {}", path_, what));
}

void JsonNode::refuse_value(const std::string& allowed) const {
  constexpr std::size_t kQuoted = 60;
  std::string shown = value_->dump(-1, ' ', true, Json::error_handler_t::replace);
  if (shown.size() > kQuoted) shown = shown.substr(0, kQuoted) + "…";
  refuse(fmt::format("is {} when it should be {}", shown, allowed));
}

void JsonNode::allow_keys(const std::vector<std::string>& keys) const {
  for (const auto& [key, member] : members()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    refuse(fmt::format("has the unknown key \"{}\"{} (known: {})", key.substr(0, 64), did_you_mean(key, keys),
                       fmt::join(keys, ", ")));
  }
}

JsonNode JsonNode::at(const std::string& key) const {
  if (auto member = find(key)) return *member;
  refuse(fmt::format("lacks the key \"{}\"", key));
}

std::optional<JsonNode> JsonNode::find(const std::string& key) const {
  if (!value_->is_object()) refuse_value("an object");
  const auto member = value_->find(key);
  if (member == value_->end()) return std::nullopt;
  return JsonNode(*member, member_path(path_, key));
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!value_->is_object()) refuse_value("an object");
  std::vector<std::pair<std::string, JsonNode>> all;
  for (const auto& [key, member] : value_->items())
    all.emplace_back(key, JsonNode(member, member_path(path_, key)));
  return all;
}

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) refuse_value("an array");
  std::vector<JsonNode> all;
  for (std::size_t i = 0; i < value_->size(); ++i) all.emplace_back((*value_)[i], element_path(path_, i));
  return all;
}

std::string JsonNode::text() const {
  constexpr std::size_t kLongest = 500;
  if (!value_->is_string()) refuse_value("a string");
  auto characters = value_->get<std::string>();
  const bool printable = std::none_of(characters.begin(), characters.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F;
  });
  if (characters.empty() || characters.size() > kLongest || !printable)
    refuse_value("1 to 500 printable characters");
  return characters;
}

std::string JsonNode::any_text() const {
  if (!value_->is_string()) refuse_value("a string");
  return value_->get<std::string>();
}

std::string JsonNode::name() const {
  std::string characters = text();
  if (!is_plain_name(characters))
    refuse_value("a name of at most 64 lower-case letters, digits, '-' and '_'");
  return characters;
}

std::string JsonNode::one_of(const std::vector<std::string>& words) const {
  std::string word = text();
  if (std::find(words.begin(), words.end(), word) == words.end())
    refuse_value(fmt::format("one of {}{}", fmt::join(words, ", "), did_you_mean(word, words)));
  return word;
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) refuse_value("true or false");
  return value_->get<bool>();
}

std::int64_t JsonNode::integer(std::int64_t least, std::int64_t most) const {
  const std::string allowed = fmt::format("an integer from {} to {}", least, most);
  if (!value_->is_number_integer()) refuse_value(allowed);
  // Above 2^63 the parser stores an unsigned value, which get<int64_t> would wrap.
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    refuse_value(allowed);
  const auto number = value_->get<std::int64_t>();
  if (number < least || number > most) refuse_value(allowed);
  return number;
}

double JsonNode::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) refuse_value("a number");
  return value_->get<double>();
}

double JsonNode::positive() const {
  if (!value_->is_number() || !(number() > 0)) refuse_value("a number above 0");
  return number();
}

}  // namespace grader
