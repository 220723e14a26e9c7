#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json_number.hpp"
#include "similarity/report.hpp"

namespace grader::similarity {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Lines& lines) { return {lines.first, lines.last}; }

Json to_json(const Comparison& lab, const Pair& pair) {
  constexpr double kDigits = 1e4;  // further digits would carry no information
  Json fragments = Json::array();
  for (const Fragment& one : pair.fragments)
    fragments.push_back(
        {{"first", to_json(one.in_first)}, {"second", to_json(one.in_second)}, {"tokens", one.tokens}});
  return {{"first", lab.documents[pair.first].name},
          {"second", lab.documents[pair.second].name},
          {"similarity", json_number(std::round(pair.similarity * kDigits) / kDigits)},
          {"shared_fingerprints", pair.shared},
          {"fragments", std::move(fragments)}};
}

Json to_json(const Comparison& lab) {
  Json pairs = Json::array();
  for (const Pair& pair : lab.pairs) pairs.push_back(to_json(lab, pair));
  return {{"lab", lab.lab},
          {"threshold", json_number(lab.threshold)},
          {"submissions", lab.documents.size()},
          {"pairs_compared", lab.pairs_compared},
          {"above_threshold", lab.above_threshold},
          {"too_little", lab.too_little},
          {"pairs", std::move(pairs)}};
}

}  // namespace

std::string similarity_json(const std::vector<Comparison>& labs) {
  Json all = Json::array();
  for (const Comparison& lab : labs) all.push_back(to_json(lab));
  const Json json = {{"schema", "warpgrade.similarity/1"}, {"labs", std::move(all)}};
  return json_text(json, 2) + "\n";
}

}  // namespace grader::similarity
