#include "lab/facts.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include "base/sha256.hpp"

namespace grader {
namespace {

/// The order in lab.json has no effect.
std::set<std::string> sorted(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

}  // namespace

std::string facts_sha256(const Lab& lab) {
  const nlohmann::json facts = {{"workload", lab.workload},
                                {"sources", lab.sources},
                                {"entries", sorted(lab.rules.entries)},
                                {"allow_symbols", sorted(lab.rules.allow_symbols)},
                                {"forbid_libraries", sorted(lab.rules.forbid_libraries)}};
  return sha256_hex(facts.dump());
}

std::string facts_sha256(const Case& one_case) {
  const nlohmann::json facts = {{"entry", one_case.entry},
                                {"workload", one_case.workload},
                                {"distribution", one_case.distribution},
                                {"device", one_case.device}};
  return sha256_hex(facts.dump());
}

}  // namespace grader
