#include "packages/lms_names.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/ascii.hpp"

namespace grader {
namespace {

bool is_number(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;  // fits into 64 bits; Canvas's longest numbers have 17 digits
  return !text.empty() && text.size() <= kMaxDigits && std::all_of(text.begin(), text.end(), is_digit);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

/// The parts between underscores and their positions.
struct Part {
  std::string_view text;
  std::size_t begin = 0;
  std::size_t end() const { return begin + text.size(); }
};

std::vector<Part> parts_of(std::string_view name) {
  std::vector<Part> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(name.find('_', begin), name.size());
    parts.push_back({name.substr(begin, end - begin), begin});
    if (end == name.size()) return parts;
    begin = end + 1;
  }
}

bool is_anonymous_id(std::string_view text) {
  constexpr std::size_t kLength = 5;  // see Canvas, lib/anonymity.rb
  return text.size() == kLength &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// The user number is part `user`; the parts before it identify the student.
std::optional<LmsName> canvas_student(std::string_view name, const std::vector<Part>& parts,
                                      std::size_t user) {
  std::size_t before = user;
  const bool anonymous = before > 0 && parts[before - 1].text == "anon" && is_anonymous_id(parts[user].text);
  if (!anonymous && !is_number(parts[user].text)) return std::nullopt;
  if (anonymous) --before;
  LmsName result;
  result.late = before > 0 && parts[before - 1].text == "LATE";
  if (*result.late) --before;
  if (anonymous != (before == 0)) return std::nullopt;  // either a name or "anon", not both
  if (anonymous) {
    result.student = "anon_" + std::string(parts[user].text);
    return result;
  }
  result.who.name = std::string(name.substr(0, parts[before - 1].end()));
  result.who.lms_id = std::string(parts[user].text);
  result.student = result.who.name + "_" + result.who.lms_id;
  return result.who.name.empty() ? std::nullopt : std::optional(result);
}

}  // namespace

std::optional<LmsName> read_canvas_name(std::string_view name) {
  const std::vector<Part> parts = parts_of(name);
  for (std::size_t user = 0; user + 1 < parts.size(); ++user) {
    const Part& next = parts[user + 1];
    const bool typed = user + 2 == parts.size() && (next.text == "text.html" || next.text == "link.html");
    const bool uploaded = user + 2 < parts.size() && is_number(next.text) && next.end() + 1 < name.size();
    if (!typed && !uploaded) continue;
    auto result = canvas_student(name, parts, user);
    if (!result) continue;
    if (uploaded) {
      result->upload = number(next.text);
      result->file = std::string(name.substr(next.end() + 1));
    }
    return result;
  }
  return std::nullopt;
}

std::optional<LmsName> read_moodle_name(std::string_view name) {
  constexpr std::string_view kMark = "_assignsubmission_", kFile = "file";
  const std::size_t mark = name.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view student = name.substr(0, mark);
  const std::size_t before = student.rfind('_');
  if (before == std::string_view::npos || before == 0 || !is_number(student.substr(before + 1)))
    return std::nullopt;
  LmsName result;
  result.student = std::string(student);
  result.who.lms_id = std::string(student.substr(before + 1));
  const std::string_view who = student.substr(0, before);
  if (who != "Participant") result.who.name = std::string(who);  // anonymous marking
  std::string_view rest = name.substr(mark + kMark.size());
  if (!rest.starts_with(kFile)) return result;
  rest.remove_prefix(kFile.size());
  if (rest.starts_with('_')) result.file = std::string(rest.substr(1));
  return result;
}

std::optional<std::uint64_t> read_gradescope_name(std::string_view name) {
  constexpr std::string_view kPrefix = "submission_";
  if (!name.starts_with(kPrefix) || !is_number(name.substr(kPrefix.size()))) return std::nullopt;
  return number(name.substr(kPrefix.size()));
}

std::string without_canvas_counter(const std::string& file) {
  const std::size_t dot = std::min(file.rfind('.'), file.size());
  const std::size_t dash = file.rfind('-', dot);
  if (dash == std::string::npos || dash == 0 ||
      !is_number(std::string_view(file).substr(dash + 1, dot - dash - 1)))
    return file;
  return file.substr(0, dash) + file.substr(dot);
}

}  // namespace grader
