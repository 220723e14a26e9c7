#include "schedule/look_ahead.hpp"

#include <algorithm>
#include <map>
#include <memory>
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
  LookAhead(const Lab& lab, DeviceKind device, Round round)
      : round_(std::move(round)), levels_(cases_by_level(lab, device)) {
    for (Names& level : levels_)
      std::erase_if(level, [&](const std::string& name) { return is_measured(lab, device, name); });
  }

  std::optional<std::vector<CaseOutcome>> run(const Names& names) {
    // The cases that are asked for come first: if one of them hangs, the others do not run.
    Names next = unknown(names);
    if (!next.empty() && is_right_so_far_)
      for (const Names& level : levels_after(names))
        for (const std::string& name : unknown(level))
          if (std::find(next.begin(), next.end(), name) == next.end()) next.push_back(name);
    if (!next.empty()) {
      auto outcomes = round_(next);
      if (!outcomes) return std::nullopt;
      keep(next, *std::move(outcomes));
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

  /// The levels n + 1 to 2 n after level n, the highest one of these cases.
  std::span<const Names> levels_after(const Names& names) const {
    std::size_t level = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i)
      for (const std::string& name : levels_[i])
        if (std::find(names.begin(), names.end(), name) != names.end()) level = i;
    const std::size_t first = std::min(level + 1, levels_.size());
    return std::span(levels_).subspan(first, std::min(level, levels_.size() - first));
  }

  /// Those after the first case that hung have not run.
  void keep(const Names& names, std::vector<CaseOutcome> outcomes) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_last = hung(outcomes.at(i).run);
      is_right_so_far_ &= outcomes[i].verdict.verdict == Verdict::accepted;
      known_[names[i]] = std::move(outcomes[i]);
      if (is_last) return;
    }
  }

  const Round round_;
  std::vector<Names> levels_;
  std::map<std::string, CaseOutcome> known_;  ///< that have run and were not asked for yet
  bool is_right_so_far_ = true;
};

}  // namespace

Round looking_ahead(const Lab& lab, DeviceKind device, Round round) {
  const auto ahead = std::make_shared<LookAhead>(lab, device, std::move(round));
  return [ahead](const Names& names) { return ahead->run(names); };
}

}  // namespace grader
