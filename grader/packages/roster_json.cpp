#include <optional>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "packages/roster.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> text_at(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return std::nullopt;
  return object[key].get<std::string>();
}

}  // namespace

std::string roster_json(const HandInRoster& roster) {
  Json json = Json::object();
  for (const auto& [folder, entry] : roster) {
    Json people = Json::array();
    for (const Identity& person : entry.people)
      people.push_back({{"name", person.name}, {"email", person.email}, {"sid", person.sis_id}});
    json[folder] = {{"people", std::move(people)}, {"submitted_at", entry.submitted_at}};
  }
  return json_text(json);
}

Expected<HandInRoster, std::string> read_roster_json(const std::string& text) {
  const Json json = json_from(text);
  if (!json.is_object()) return Unexpected{std::string("it is not a JSON object")};
  HandInRoster roster;
  for (const auto& [folder, entry] : json.items()) {
    if (!entry.is_object() || !entry.contains("people") || !entry["people"].is_array())
      return Unexpected{std::string("an entry has no list of people")};
    RosterEntry& made = roster[folder];
    made.submitted_at = text_at(entry, "submitted_at").value_or("");
    for (const Json& person : entry["people"])
      made.people.push_back({text_at(person, "name").value_or(""), text_at(person, "email").value_or(""), "",
                             text_at(person, "sid").value_or("")});
  }
  return roster;
}

}  // namespace grader
