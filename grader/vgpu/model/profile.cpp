#include "vgpu/model/profile.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "vgpu/model/profile_fields.hpp"

namespace vgpu {
namespace {

using nlohmann::json;
using Error = grader::Unexpected<std::string>;

constexpr const char* kSchema = "warpgrade.profile/1";
constexpr std::size_t kMaxProfileBytes = std::size_t{1} << 20U;

struct BuiltIn {
  std::string_view name, json_text;
};
// The files beside this one, as text; made when the program is built.
constexpr std::array kBuiltIn{
#include "built_in_profiles.inc"
};

const ProfileField* find_field(const std::string& key) {
  const auto& fields = profile_fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.key == key; });
  return found == fields.end() ? nullptr : &*found;
}

/// What is wrong with one key; empty: nothing.
std::string read_key(const std::string& key, const json& value, Profile& profile) {
  std::string problem;
  if (key == "schema") {
    if (value != kSchema) problem = fmt::format("should be \"{}\"", kSchema);
  } else if (const ProfileField* field = find_field(key)) {
    problem = field->read(value, profile);
  } else {
    return fmt::format("\"{}\" is not a key of a profile", key);
  }
  return problem.empty() ? problem : fmt::format("\"{}\" is {} but {}", key, value.dump(), problem);
}

}  // namespace

const Profile& lecture_profile() {
  static const Profile profile = *find_profile("lecture");
  return profile;
}

grader::Expected<Profile, std::string> parse_profile(const std::string& json_text) {
  const json document = json::parse(json_text, nullptr, false);
  if (document.is_discarded()) return Error{"the profile is not valid JSON"};
  if (!document.is_object()) return Error{"the profile should be a JSON object"};
  Profile profile;
  for (const auto& [key, value] : document.items()) {
    std::string problem = read_key(key, value, profile);
    if (!problem.empty()) return Error{std::move(problem)};
  }
  if (!document.contains("schema")) return Error{"\"schema\" is missing"};
  for (const ProfileField& field : profile_fields()) {
    if (field.required && !document.contains(field.key))
      return Error{fmt::format("\"{}\" is missing", field.key)};
  }
  return profile;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const BuiltIn& profile : kBuiltIn) names.emplace_back(profile.name);
  return names;
}

grader::Expected<Profile, std::string> find_profile(const std::string& name_or_file) {
  for (const BuiltIn& profile : kBuiltIn) {
    if (profile.name == name_or_file) return parse_profile(std::string(profile.json_text));
  }
  if (!std::filesystem::exists(name_or_file)) {
    return Error{fmt::format("there is no device profile and no file \"{}\"; give one of {}, or a JSON file",
                             name_or_file, fmt::join(profile_names(), ", "))};
  }
  const auto text = grader::read_file(name_or_file, kMaxProfileBytes);
  if (!text) return Error{fmt::format("{} {}", name_or_file, text.error())};
  auto profile = parse_profile(*text);
  if (!profile) return Error{fmt::format("{}: {}", name_or_file, profile.error())};
  return profile;
}

}  // namespace vgpu
