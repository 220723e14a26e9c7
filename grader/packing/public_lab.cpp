#include "packing/public_lab.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::set<std::string>;

bool names_one_of(const Names& names, const Json& value) {
  return value.is_string() && names.contains(value.get<std::string>());
}

/// True for "n-257" and for {"virtual": "n-257", "cuda": …} if one of the names is hidden.
bool uses(const Names& hidden, const Json& case_names) {
  if (!case_names.is_object()) return names_one_of(hidden, case_names);
  return std::any_of(case_names.begin(), case_names.end(),
                     [&](const Json& name) { return names_one_of(hidden, name); });
}

/// The elements for which `goes` is false.
template <class Predicate>
Json without(Json& list, Predicate goes) {
  Json kept = Json::array();
  for (Json& one : list)
    if (!goes(one)) kept.push_back(std::move(one));
  return kept;
}

/// True for a question about the student's own run if it needs a hidden case.
bool asks_about(const Names& hidden, const Json& object) {
  const auto own = object.find("own");
  return own != object.end() && own->is_object() &&
         std::any_of(own->begin(), own->end(), [&](const Json& value) {
           return value.contains("case") && uses(hidden, value["case"]);
         });
}

/// Removes what uses hidden cases: names in lists under "cases", questions about them, and objects whose
/// "case" is hidden or whose "cases" are all hidden. Returns true if the object itself has to be removed.
bool hide(Json& object, const Names& hidden) {
  if (object.contains("case") && uses(hidden, object["case"])) return true;
  if (asks_about(hidden, object)) return true;
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  bool has_no_case = false;
  for (const std::string& key : keys) {
    Json& value = object[key];
    bool goes = value.is_object() && hide(value, hidden);
    if (value.is_array() && !value.empty()) {
      value = without(value, [&](Json& one) {
        return one.is_object() ? hide(one, hidden) : key == "cases" && names_one_of(hidden, one);
      });
      goes = value.empty();
      has_no_case |= goes && key == "cases";
    }
    if (goes) object.erase(key);
  }
  return has_no_case;
}

/// Adds the cases that objects below `value` name.
void add_used_cases(Names& used, const Json& value, bool is_name = false) {
  if (is_name && value.is_string()) used.insert(value.get<std::string>());
  if (value.is_array())
    for (const Json& one : value) add_used_cases(used, one, is_name);
  if (value.is_object())
    for (const auto& [key, one] : value.items())
      add_used_cases(used, one, is_name || key == "case" || key == "cases");
}

bool checks_nothing(const Json& task) {
  return !task.contains("cases") && !task.contains("objectives") && !task.contains("speedup");
}

Json public_tasks(Json& tasks, const Names& hidden) {
  Names removed;
  return without(tasks, [&](Json& task) {
    hide(task, hidden);
    if (task.contains("needs")) {
      task["needs"] = without(task["needs"], [&](const Json& id) { return names_one_of(removed, id); });
      if (task["needs"].empty()) task.erase("needs");
    }
    if (checks_nothing(task)) removed.insert(task.at("id").get<std::string>());
    return checks_nothing(task);
  });
}

}  // namespace

std::set<std::string> hidden_cases(const Lab& lab) {
  Names hidden;
  for (const Case& one : lab.cases)
    if (one.visibility != Visibility::visible) hidden.insert(one.name);
  return hidden;
}

std::string public_lab_json(const Lab& lab, const std::string& text) {
  const Names hidden = hidden_cases(lab);
  if (hidden.empty()) return text;
  Json json = valid_json_from(text);
  const Json cases = std::move(json["cases"]);
  json["cases"] = Json::object();
  json["tasks"] = public_tasks(json["tasks"], hidden);
  hide(json, hidden);
  // The case for another kind of device can be left without a task.
  Names used;
  add_used_cases(used, json);
  for (const auto& [name, one] : cases.items())
    if (used.contains(name)) json["cases"][name] = one;
  return json_text(json, 2) + "\n";
}

}  // namespace grader
