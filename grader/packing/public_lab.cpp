#include "packing/public_lab.hpp"

#include <algorithm>

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

/// Removes the elements for which `goes` is true, and the array if nothing is left.
template <class Predicate>
void prune(Json& object, const char* key, Predicate goes) {
  const auto list = object.find(key);
  if (list == object.end()) return;
  Json kept = Json::array();
  for (const Json& one : *list)
    if (!goes(one)) kept.push_back(one);
  if (kept.empty())
    object.erase(key);
  else
    *list = std::move(kept);
}

void hide_in_task(Json& task, const Names& hidden) {
  prune(task, "cases", [&](const Json& name) { return names_one_of(hidden, name); });
  prune(task, "objectives", [&](const Json& one) { return uses(hidden, one.at("case")); });
  if (task.contains("speedup") && uses(hidden, task["speedup"].at("case"))) task.erase("speedup");
}

void add_names(Names& names, const Json& case_names) {
  if (case_names.is_string()) names.insert(case_names.get<std::string>());
  if (case_names.is_structured())
    for (const Json& one : case_names) add_names(names, one);
}

/// The cases that the tasks still use.
Names used_cases(const Json& tasks) {
  Names used;
  for (const Json& task : tasks) {
    if (task.contains("cases")) add_names(used, task["cases"]);
    if (task.contains("objectives"))
      for (const Json& one : task["objectives"]) add_names(used, one.at("case"));
    if (task.contains("speedup")) add_names(used, task["speedup"].at("case"));
  }
  return used;
}

bool checks_nothing(const Json& task) {
  return !task.contains("cases") && !task.contains("objectives") && !task.contains("speedup");
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
  Names removed;
  Json tasks = Json::array();
  for (Json& task : json["tasks"]) {
    hide_in_task(task, hidden);
    prune(task, "needs", [&](const Json& id) { return names_one_of(removed, id); });
    if (checks_nothing(task))
      removed.insert(task.at("id").get<std::string>());
    else
      tasks.push_back(task);
  }
  json["tasks"] = std::move(tasks);
  // The case for another kind of device can be left without a task.
  const Names used = used_cases(json["tasks"]);
  Json cases = Json::object();
  for (const auto& [name, one] : json["cases"].items())
    if (used.contains(name)) cases[name] = one;
  json["cases"] = std::move(cases);
  return json_text(json, 2) + "\n";
}

}  // namespace grader
