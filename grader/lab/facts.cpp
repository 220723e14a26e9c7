#include "lab/facts.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/sha256.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;  // the keys below are in alphabetical order

/// The order in lab.json has no effect.
std::set<std::string> sorted(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

}  // namespace

std::string facts_sha256(const Lab& lab) {
  const Json facts = {{"allow_symbols", sorted(lab.rules.allow_symbols)},
                      {"entries", sorted(lab.rules.entries)},
                      {"forbid_libraries", sorted(lab.rules.forbid_libraries)},
                      {"sources", lab.sources},
                      {"workload", lab.workload}};
  return sha256_hex(json_text(facts));
}

std::string facts_sha256(const Case& one_case) {
  Json facts = {{"device", one_case.device},
                {"distribution", one_case.distribution},
                {"entry", one_case.entry},
                {"workload", one_case.workload}};
  if (!one_case.earlier_calls.empty()) facts["earlier_calls"] = one_case.earlier_calls;
  if (one_case.may_fail) facts["may_fail"] = true;
  if (one_case.rotations != 0) facts["rotations"] = one_case.rotations;
  if (!one_case.other_function.empty()) facts["other_function"] = one_case.other_function;
  return sha256_hex(json_text(facts));
}

}  // namespace grader
