#include "schedule/look_ahead.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

namespace grader {
namespace {

using Names = std::vector<std::string>;

/// Each case at the level of the first task that uses it.
std::vector<Names> cases_by_level(const Lab& lab, DeviceKind device) {
  std::map<std::string, std::size_t> level_of_task, level_of_case;
  for (const Task& task : lab.tasks) {  // a task's needs precede it
    std::size_t& level = level_of_task[task.id];
    for (const std::string& need : task.needs) level = std::max(level, level_of_task.at(need) + 1);
    for (const std::string& name : cases_of(lab, task, device)) {
      const auto [known, is_new] = level_of_case.try_emplace(name, level);
      if (!is_new) known->second = std::min(known->second, level);
    }
  }
  std::vector<Names> levels;
  for (const Case& one : lab.cases) {
    const auto found = level_of_case.find(one.name);
    if (found == level_of_case.end()) continue;
    if (levels.size() <= found->second) levels.resize(found->second + 1);
    levels[found->second].push_back(one.name);
  }
  return levels;
}

bool is_measured(const Lab& lab, DeviceKind device, const std::string& name) {
  return device == DeviceKind::cuda && std::any_of(lab.tasks.begin(), lab.tasks.end(), [&](const Task& task) {
           return task.speedup && task.speedup->case_on(device) == name;
         });
}

class LookAhead {
 public:
  LookAhead(const Lab& lab, DeviceKind device, Reach reach, RoundAhead round)
      : round_(std::move(round)), reach_(reach), levels_(cases_by_level(lab, device)) {
    for (Names& level : levels_)
      std::erase_if(level, [&](const std::string& name) { return is_measured(lab, device, name); });
  }

  std::optional<std::vector<CaseOutcome>> run(const Names& names) {
    const Names due = unknown(names);
    if (!due.empty()) {
      const Names ahead = is_right_so_far_ ? cases_ahead(names) : Names{};
      auto outcomes = round_(due, ahead);
      if (!outcomes) return std::nullopt;
      keep(due, ahead, *std::move(outcomes));
    }
    std::vector<CaseOutcome> asked_for(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      if (auto node = known_.extract(names[i])) asked_for[i] = std::move(node.mapped());
    return asked_for;
  }

 private:
  Names unknown(Names names) const {
    std::erase_if(names, [&](const std::string& name) { return known_.contains(name); });
    return names;
  }

  /// Each case only once: on a real GPU, one that was not accepted would fail again.
  Names cases_ahead(const Names& names) {
    Names ahead;
    for (const Names& level : levels_after(names))
      for (const std::string& name : unknown(level))
        if (tried_.insert(name).second) ahead.push_back(name);
    return ahead;
  }

  /// The levels within reach after level n, the highest one of these cases.
  std::span<const Names> levels_after(const Names& names) const {
    std::size_t level = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i)
      for (const std::string& name : levels_[i])
        if (std::find(names.begin(), names.end(), name) != names.end()) level = i;
    const auto after = std::span(levels_).subspan(std::min(level + 1, levels_.size()));
    return reach_ == Reach::everything ? after : after.first(std::min(level, after.size()));
  }

  /// Those after the first case that hung are not known.
  void keep(const Names& due, const Names& ahead, std::vector<std::optional<CaseOutcome>> outcomes) {
    for (std::size_t i = 0; i < due.size() + ahead.size(); ++i) {
      auto& outcome = outcomes.at(i);
      if (!outcome) continue;
      const bool is_last = hung(outcome->run);
      is_right_so_far_ &= outcome->verdict.verdict == Verdict::accepted;
      known_[i < due.size() ? due[i] : ahead[i - due.size()]] = *std::move(outcome);
      if (is_last) return;
    }
  }

  const RoundAhead round_;
  const Reach reach_;
  std::vector<Names> levels_;
  std::set<std::string> tried_;               ///< ahead of their round
  std::map<std::string, CaseOutcome> known_;  ///< that have run and were not asked for yet
  bool is_right_so_far_ = true;
};

}  // namespace

Round looking_ahead(const Lab& lab, DeviceKind device, Reach reach, RoundAhead round) {
  const auto ahead = std::make_shared<LookAhead>(lab, device, reach, std::move(round));
  return [ahead](const Names& names) { return ahead->run(names); };
}

Round only_due(RoundAhead round) {
  return [round = std::move(round)](const Names& names) -> std::optional<std::vector<CaseOutcome>> {
    auto outcomes = round(names, {});
    if (!outcomes) return std::nullopt;
    std::vector<CaseOutcome> all;
    for (auto& one : *outcomes) all.push_back(std::move(one).value_or(CaseOutcome{}));
    return all;
  };
}

}  // namespace grader
