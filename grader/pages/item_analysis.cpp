#include "pages/item_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "score/check_words.hpp"

namespace grader::pages {
namespace {

constexpr std::size_t kLeastResults = 3;  // two results always correlate with 1 or -1

/// The points of one submission for one item, and for all other items.
struct Outcome {
  double points = 0, available = 0, rest = 0;
  CheckStatus status = CheckStatus::skip;
};

/// The outcomes of an item, by submission.
struct Sample {
  std::string name;
  bool is_task = false;
  std::vector<Outcome> outcomes;
};

/// A task fails if one of its checks fails, and passes if all pass.
CheckStatus combined(CheckStatus task, CheckStatus check) {
  if (task == CheckStatus::fail || check == CheckStatus::fail) return CheckStatus::fail;
  return task == check ? task : CheckStatus::skip;
}

/// Collects the outcomes of all submissions, item by item.
class Samples {
 public:
  void add(const Score& score) {
    double total = 0;
    for (const Check& check : score.checks) total += check.points;
    std::map<std::string, Outcome> tasks;
    std::vector<std::string> order;
    for (const Check& check : score.checks) {
      if (check.max_points <= 0 || check.task.empty()) continue;
      const auto [task, is_new] = tasks.try_emplace(check.task);
      if (is_new) order.push_back(check.task);
      Outcome& sum = task->second;
      sum.status = is_new ? check.status : combined(sum.status, check.status);
      sum.points += check.points;
      sum.available += check.max_points;
      sample(check.task, task_words(check), true);  // before its checks
      sample(check.id, words_in_task(check), false)
          .outcomes.push_back({check.points, check.max_points, total - check.points, check.status});
    }
    for (const std::string& name : order) {
      Outcome& outcome = tasks[name];
      outcome.rest = total - outcome.points;
      sample(name, "", true).outcomes.push_back(outcome);
    }
  }

  const std::vector<Sample>& all() const { return samples_; }

 private:
  Sample& sample(const std::string& id, const std::string& name, bool is_task) {
    const auto [place, is_new] = places_.try_emplace({is_task, id}, samples_.size());
    if (is_new) samples_.push_back({name, is_task, {}});
    return samples_[place->second];
  }

  std::vector<Sample> samples_;
  std::map<std::pair<bool, std::string>, std::size_t> places_;
};

Item item_of(const Sample& sample) {
  Item item;
  item.name = sample.name;
  item.is_task = sample.is_task;
  item.results = sample.outcomes.size();
  std::vector<double> shares, rests;
  for (const Outcome& one : sample.outcomes) {
    shares.push_back(one.points / one.available);
    rests.push_back(one.rest);
    item.points = std::max(item.points, one.available);
    item.passed += one.status == CheckStatus::pass ? 1 : 0;
    item.failed += one.status == CheckStatus::fail ? 1 : 0;
    item.skipped += one.status == CheckStatus::skip ? 1 : 0;
  }
  item.facility = std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
  item.discrimination = correlation(shares, rests);
  return item;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < kLeastResults) return std::nullopt;
  const double mean_x = mean(x), mean_y = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x, dy = y[i] - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  // Equal values can have a mean that differs from them by rounding.
  constexpr double kRounding = 1e-12;
  const bool is_constant = xx <= kRounding || yy <= kRounding;
  if (is_constant) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

std::vector<Item> item_analysis(const std::vector<const Result*>& results) {
  Samples samples;
  for (const Result* result : results)
    if (result->score.status != ResultStatus::grader_fault) samples.add(result->score);
  std::vector<Item> items;
  for (const Sample& sample : samples.all()) items.push_back(item_of(sample));
  return items;
}

}  // namespace grader::pages
