#include "report/hand_in_json.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void put(Json& object, const char* key, const std::vector<std::string>& texts) {
  if (!texts.empty()) object[key] = texts;
}

Json person_json(const Identity& person, const std::string& lms) {
  Json json = Json::object();
  put(json, "lms", lms);
  put(json, "name", person.name);
  put(json, "email", person.email);
  put(json, "lms_id", person.lms_id);
  put(json, "sis_id", person.sis_id);
  return json;
}

Json hand_in_json(const HandIn& hand_in) {
  Json json = Json::object();
  Json people = Json::array();
  for (const Identity& person : hand_in.people) people.push_back(person_json(person, hand_in.lms));
  if (!people.empty()) json["people"] = std::move(people);
  if (hand_in.late) json["late"] = *hand_in.late;
  put(json, "submitted_at", hand_in.submitted_at);
  put(json, "not_taken", hand_in.not_taken);
  if (!hand_in.same_bytes.empty()) json["same_bytes"] = hand_in.same_bytes;
  put(json, "notes", hand_in.notes);
  return json;
}

}  // namespace

Json identity_json(const HandIn& hand_in) {
  return hand_in.people.empty() ? Json(nullptr) : person_json(hand_in.people.front(), hand_in.lms);
}

Json hand_ins_json(const std::map<std::string, HandIn>& hand_ins) {
  Json list = Json::array();
  for (const auto& [submission, hand_in] : hand_ins) {
    const Json facts = hand_in_json(hand_in);
    if (facts.empty()) continue;
    Json one = {{"submission", submission}};
    one.update(facts);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace grader
