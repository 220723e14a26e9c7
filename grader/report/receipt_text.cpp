#include "report/receipt_text.hpp"

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace grader {
namespace {

std::string score_text(const ReceiptFacts& receipt, const Score& graded, const PointsByRules& by_rules) {
  if (!receipt.score || !receipt.max_score) return "it states no score";
  std::string stated =
      fmt::format("it states {} of {} points", points_text(*receipt.score), points_text(*receipt.max_score));
  if (graded.status != ResultStatus::graded) return stated;
  const double points = graded.score - by_rules.points, max_points = graded.max_score - by_rules.max_points;
  if (receipt.agrees_with(points, max_points).value_or(false)) return stated + ", as graded";
  return fmt::format("{}, graded: {} of {}", stated, points_text(points), points_text(max_points));
}

}  // namespace

std::string receipt_text(const Result& result, const PointsByRules& by_rules) {
  if (!result.receipt) return "";
  const ReceiptFacts& receipt = *result.receipt;
  if (!receipt.problem.empty()) return "receipt: ignored, because it " + receipt.problem;
  return fmt::format("receipt: packed {} by warpgrade {}; its digests {} the files; {}", receipt.packed_at,
                     receipt.version, receipt.files_match ? "match" : "do not match",
                     score_text(receipt, result.score, by_rules));
}

}  // namespace grader
