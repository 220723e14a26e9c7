// Item analysis, as test theory defines it: how difficult each check and each task of a lab was, and how well
// it separates strong from weak submissions. Pure. Covered by pages/item_analysis_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/result.hpp"

namespace grader::pages {

/// A check, or a task, which is the sum of its checks.
struct Item {
  std::string name;      ///< for people: "Any shape: boundary checks", below it "17x33x65"
  bool is_task = false;  ///< its checks follow
  std::size_t results = 0;
  std::size_t passed = 0, failed = 0, skipped = 0;  ///< a task passes with all of its checks
  double points = 0;                                ///< available points
  /// The mean share of the points that submissions earned, 0 to 1: low for a difficult item.
  double facility = 0;
  /// Pearson's correlation of the item's share with the points of all other items, -1 to 1. Unknown with
  /// fewer than three results, or if all results are equal.
  std::optional<double> discrimination;
};

/// The items of one lab, in the order of its checks. Results without a grade do not count, nor do checks that
/// the device cannot make.
std::vector<Item> item_analysis(const std::vector<const Result*>& results);

/// Pearson's correlation of two samples of the same size; nullopt as for Item::discrimination.
std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace grader::pages
