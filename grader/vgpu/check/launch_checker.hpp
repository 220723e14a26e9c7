// The checks of a whole launch: takes the blocks' logs in block order, finds races between blocks, and
// records which memory has been written. One object per launch, used by one thread.
#pragma once

#include <optional>
#include <vector>

#include "vgpu/facts/findings.hpp"
#include "vgpu/races/access_summary.hpp"
#include "vgpu/races/global_races.hpp"
#include "vgpu/state/block_view.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

class LaunchChecker {
 public:
  LaunchChecker(const LaunchContext& launch, GlobalMemory& memory);

  /// `view`: the block's writes that are not in memory yet; nullptr: the block wrote memory itself.
  void add(std::uint64_t block, const BlockLog& log, const BlockView* view);
  /// Adds the findings of a block; called before its log is added.
  /// `alone`: the block ran directly on memory.
  void add(std::vector<Fault> findings, bool alone);
  /// Races between blocks that can change a result, so far: one for each thread and element.
  std::uint64_t harmful_races() const { return harmful_races_; }
  bool has_news(std::uint64_t block, std::uint64_t address) const { return races_.has_news(block, address); }

  /// The findings of the launch, folded.
  std::vector<Fault> take_findings();
  std::vector<MemoryAccess> take_accesses() { return accesses_.take(); }

 private:
  void report(std::uint64_t address, const BlockAccess& access, const BlockAccess& earlier);
  Fault describe(std::uint64_t address, const BlockAccess& access, const BlockAccess& earlier) const;
  void mark_written(const BlockLog& log);
  StoreLine line_of(SiteIndex site);

  const LaunchContext& launch_;
  GlobalMemory& memory_;
  GlobalRaces races_;
  AccessSummary accesses_;
  Findings findings_;
  std::uint64_t harmful_races_ = 0;
  std::vector<std::optional<StoreLine>> lines_;  ///< by site; nullopt: not numbered yet
};

}  // namespace vgpu::exec
