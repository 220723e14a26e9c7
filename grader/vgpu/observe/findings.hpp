// Folds what checkers find: one Fault for each kind and pair of source lines, with the first occurrence and a
// count.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "vgpu/observe/fault.hpp"

namespace vgpu {

/// Of a launch; what is beyond is counted nowhere.
inline constexpr std::size_t kMaxFindings = 64;

/// The same two places in the source, in either order.
inline bool has_same_lines(const Fault& a, const Fault& b) {
  if (a.other.has_value() != b.other.has_value()) return false;
  if (!a.other) return a.source == b.source && a.file == b.file;
  const auto is_pair = [](const auto& p, const auto& q, const auto& r, const auto& s) {
    return p.source == r.source && p.file == r.file && q.source == s.source && q.file == s.file;
  };
  return is_pair(a, *a.other, b, *b.other) || is_pair(a, *a.other, *b.other, b);
}

/// The same mistake.
inline bool is_same_finding(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.space == b.space && has_same_lines(a, b);
}

/// Whether repairing `race` takes the finding away, too: a barrier for the block is one for each warp, who
/// reads too early finds nothing yet, and who meets the others before a copy starts does not meet the copy.
inline bool is_explained_by(const Fault& finding, const Fault& race) {
  if (!race.other || race.space != finding.space) return false;
  const bool is_other_order = (finding.kind == FaultKind::warp_race && race.kind == FaultKind::shared_race) ||
                              (finding.kind == FaultKind::unfinished_copy &&
                               (race.kind == FaultKind::shared_race || race.kind == FaultKind::warp_race));
  if (is_other_order) return has_same_lines(finding, race);
  return finding.kind == FaultKind::uninitialised_read &&
         (race.source == finding.source || race.other->source == finding.source);
}

inline void drop_explained(std::vector<Fault>& findings) {
  const std::vector<Fault> all = findings;
  findings.clear();
  std::copy_if(all.begin(), all.end(), std::back_inserter(findings), [&](const Fault& finding) {
    return std::none_of(all.begin(), all.end(),
                        [&](const Fault& race) { return is_explained_by(finding, race); });
  });
}

/// Adds later findings, in order.
inline void fold_findings(std::vector<Fault>& all, std::vector<Fault> more) {
  for (Fault& finding : more) {
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const Fault& other) { return is_same_finding(other, finding); });
    if (known != all.end()) {
      known->count += finding.count;
    } else if (all.size() < kMaxFindings) {
      all.push_back(std::move(finding));
    }
  }
}

}  // namespace vgpu
