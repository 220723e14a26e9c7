// Folds the findings of the checkers: one Fault per kind and pair of source lines, with the first occurrence
// and a count.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/facts/fault.hpp"

namespace vgpu {

/// Maximum number of findings that are kept per launch; others are dropped.
inline constexpr std::size_t kMaxFindings = 64;

/// True if both findings are about the same two source lines, in either order.
inline bool has_same_lines(const Fault& a, const Fault& b) {
  if (a.other.has_value() != b.other.has_value()) return false;
  if (!a.other) return a.source == b.source && a.file == b.file;
  const auto is_pair = [](const auto& p, const auto& q, const auto& r, const auto& s) {
    return p.source == r.source && p.file == r.file && q.source == s.source && q.file == s.file;
  };
  return is_pair(a, *a.other, b, *b.other) || is_pair(a, *a.other, *b.other, b);
}

/// True if both findings are the same error in the source.
inline bool is_same_finding(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.space == b.space && has_same_lines(a, b);
}

/// Whether the range of lines of `outer` contains the range of lines of `inner`. `inner` is a race.
inline bool encloses(const Fault& outer, const Fault& inner) {
  const auto lines = [](const Fault& race) { return std::minmax(race.source.line, race.other->source.line); };
  const auto in_one_file = [](const Fault& race) { return race.file == race.other->file; };
  assert(inner.other.has_value());
  if (!outer.other || outer.file != inner.file || !in_one_file(outer) || !in_one_file(inner)) return false;
  return lines(outer).first <= lines(inner).first && lines(outer).second >= lines(inner).second;
}

/// Whether fixing `race` removes the finding as well: a block-wide barrier also orders the lanes of each
/// warp, a read that comes too early sees unwritten memory, an index that is too large reads or writes what
/// other threads use, and a thread that is ordered before the start of
/// a copy does not race with the copy.
inline bool is_explained_by(const Fault& finding, const Fault& race) {
  if (race.kind == FaultKind::array_overflow)
    return finding.kind != race.kind && finding.space == race.space &&
           (finding.source == race.source || (finding.other && finding.other->source == race.source));
  if (!race.other || race.space != finding.space) return false;
  const bool is_between_warps = race.kind == FaultKind::shared_race;
  if (finding.kind == FaultKind::warp_race)
    return is_between_warps && (has_same_lines(finding, race) || encloses(finding, race));
  if (finding.kind == FaultKind::stale_read)
    return race.kind == FaultKind::global_race && has_same_lines(finding, race);
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

/// Whether a file belongs to Thrust or CUB.
inline bool is_file_of_library(const std::string& file) {
  return file.find("/thrust/") != std::string::npos || file.find("/cub/") != std::string::npos;
}

/// A finding of Thrust or CUB, in one of their kernels, that the student can neither cause nor fix. A functor
/// of the program has source lines of its own and is reported.
///
/// Races in global memory between the library's lines: their blocks rely on results of other blocks. After a
/// "decoupled look-back" (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
/// 2016) a block writes where another block has read, because it knows how many elements that block kept. The
/// memory model defines no such order, but hardware does not reverse it.
///
/// Unwritten elements that are read and not used: the merge sort loads a tile in full, also where it ends
/// early. A use of the program's unwritten memory is reported.
inline bool is_of_library(const Fault& finding) {
  const bool is_in_library =
      finding.kernel.starts_with("_ZN3cub") || finding.kernel.starts_with("_ZN6thrust");
  if (!is_in_library || !is_file_of_library(finding.file)) return false;
  if (finding.kind == FaultKind::uninitialised_read) return finding.is_harmless;
  const bool is_global = finding.kind == FaultKind::global_race || finding.kind == FaultKind::stale_read;
  return is_global && finding.other && is_file_of_library(finding.other->file);
}

/// Adds a later finding. Returns its index, or all.size() if it was dropped because there are too many.
inline std::size_t fold_finding(std::vector<Fault>& all, Fault finding) {
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const Fault& other) { return is_same_finding(other, finding); });
  const auto place = static_cast<std::size_t>(known - all.begin());
  if (known != all.end()) {
    known->count += finding.count;
    known->is_harmless = known->is_harmless && finding.is_harmless;
  } else if (all.size() < kMaxFindings) {
    all.push_back(std::move(finding));
  }
  return place;
}

/// Adds later findings, in order.
inline void fold_findings(std::vector<Fault>& all, std::vector<Fault> more) {
  for (Fault& finding : more) fold_finding(all, std::move(finding));
}

/// The findings of one checker, folded as they arrive: unrolled loops repeat a pair of lines many times.
class Findings {
 public:
  /// `key` identifies a kind and the instructions. `make_fault` is called for the first finding with that
  /// key. `count`: how often it occurs now.
  template <class MakeFault>
  void add(std::uint64_t key, MakeFault make_fault, std::uint64_t count = 1) {
    const auto [known, is_new] = places_.try_emplace(key, all_.size());
    if (is_new) {
      Fault first = make_fault();
      first.count = count;
      known->second = fold_finding(all_, std::move(first));
    } else if (known->second < all_.size()) {
      all_[known->second].count += count;
    }
  }
  /// The finding with that key was added.
  void mark_harmful(std::uint64_t key) {
    const auto known = places_.find(key);
    if (known != places_.end() && known->second < all_.size()) all_[known->second].is_harmless = false;
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
