// Folds what checkers find: one Fault for each kind and pair of source lines, with the first occurrence and a
// count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/facts/fault.hpp"

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

/// Whether what lies between the lines of `inner` lies between those of `outer`, too.
inline bool encloses(const Fault& outer, const Fault& inner) {
  const auto lines = [](const Fault& race) { return std::minmax(race.source.line, race.other->source.line); };
  const auto in_one_file = [](const Fault& race) { return race.file == race.other->file; };
  if (!outer.other || outer.file != inner.file || !in_one_file(outer) || !in_one_file(inner)) return false;
  return lines(outer).first <= lines(inner).first && lines(outer).second >= lines(inner).second;
}

/// Whether repairing `race` takes the finding away, too: a barrier for the block is one for each warp, who
/// reads too early finds nothing yet, and who meets the others before a copy starts does not meet the copy.
inline bool is_explained_by(const Fault& finding, const Fault& race) {
  if (!race.other || race.space != finding.space) return false;
  const bool is_between_warps = race.kind == FaultKind::shared_race;
  if (finding.kind == FaultKind::warp_race)
    return is_between_warps && (has_same_lines(finding, race) || encloses(finding, race));
  if (finding.kind == FaultKind::unfinished_copy)
    return (is_between_warps || race.kind == FaultKind::warp_race) && has_same_lines(finding, race);
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

/// A race in global memory between lines of Thrust and CUB, in a kernel of theirs. Their blocks rely on what
/// they learn of one another: behind a "decoupled look-back" (Merrill and Garland, "Single-pass Parallel
/// Prefix Scan with Decoupled Look-back", 2016) a block writes where another has read, since it has the count
/// of what that one kept. The memory model knows no such order, but hardware does not reverse it, and nobody
/// can repair it. A functor of the program has lines of its own.
inline bool is_race_of_library(const Fault& finding) {
  const auto is_own = [](const std::string& file) {
    return file.find("/thrust/") != std::string::npos || file.find("/cub/") != std::string::npos;
  };
  return finding.kind == FaultKind::global_race &&
         (finding.kernel.starts_with("_ZN3cub") || finding.kernel.starts_with("_ZN6thrust")) &&
         is_own(finding.file) && finding.other && is_own(finding.other->file);
}

/// Adds a later finding; its place, or the end's place if there are too many.
inline std::size_t fold_finding(std::vector<Fault>& all, Fault finding) {
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const Fault& other) { return is_same_finding(other, finding); });
  const auto place = static_cast<std::size_t>(known - all.begin());
  if (known != all.end()) {
    known->count += finding.count;
  } else if (all.size() < kMaxFindings) {
    all.push_back(std::move(finding));
  }
  return place;
}

/// Adds later findings, in order.
inline void fold_findings(std::vector<Fault>& all, std::vector<Fault> more) {
  for (Fault& finding : more) fold_finding(all, std::move(finding));
}

/// The findings of one checker, folded while they come: unrolled loops repeat a pair of lines many times.
class Findings {
 public:
  /// `key` stands for a kind and instructions. `tell` makes the Fault, if it is the first of its key.
  template <class Tell>
  void add(std::uint64_t key, Tell tell) {
    const auto [known, is_new] = places_.try_emplace(key, all_.size());
    if (is_new) {
      known->second = fold_finding(all_, tell());
    } else if (known->second < all_.size()) {
      all_[known->second].count += 1;
    }
  }
  void add(std::vector<Fault> more) { fold_findings(all_, std::move(more)); }

  std::vector<Fault> take() {
    drop_explained(all_);
    places_.clear();
    return std::exchange(all_, {});
  }

 private:
  std::vector<Fault> all_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  ///< by key
};

}  // namespace vgpu
