#include "report/receipt_json.hpp"

#include "report/json_number.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

Json points_json(const std::optional<double>& points) {
  return points ? Json(json_number(*points)) : Json(nullptr);
}

std::optional<double> read_points(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(node.number());
}

}  // namespace

Json receipt_facts_json(const ReceiptFacts& facts) {
  if (!facts.problem.empty()) return {{"problem", facts.problem}};
  return {{"packed_at", facts.packed_at},
          {"version", facts.version},
          {"score", points_json(facts.score)},
          {"max_score", points_json(facts.max_score)},
          {"files_match", facts.files_match}};
}

ReceiptFacts read_receipt_facts(const JsonNode& node) {
  ReceiptFacts read;
  if (const auto problem = node.find("problem")) {
    read.problem = problem->text();
    return read;
  }
  read.packed_at = node.at("packed_at").text();
  read.version = node.at("version").text();
  read.score = read_points(node.at("score"));
  read.max_score = read_points(node.at("max_score"));
  read.files_match = node.at("files_match").boolean();
  return read;
}

}  // namespace grader
