// The checks of a whole launch: takes the blocks' logs in block order, finds races between blocks, and
// records which memory has been written. One object per launch, used by one thread, apart from search().
#pragma once

#include <vector>

#include "vgpu/check/unstored_memory.hpp"
#include "vgpu/facts/findings.hpp"
#include "vgpu/races/access_summary.hpp"
#include "vgpu/races/race_parts.hpp"
#include "vgpu/races/read_map.hpp"
#include "vgpu/state/block_view.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

class LaunchChecker {
 public:
  /// `parts`: how many threads can call search() at the same time; a power of two.
  LaunchChecker(const LaunchContext& launch, GlobalMemory& memory, unsigned parts);

  /// `view`: the block's writes that are not in memory yet; nullptr: the block wrote memory itself.
  void add(std::uint64_t block, const BlockLog& log, const BlockView* view);
  // In place of add(), different threads can call search() for different parts of memory, for blocks in
  // block order, earlier ones of which have written the part of memory. Then, one thread calls
  // add_searched() in block order. If nothing was found in a wave and no log has more than accesses, mark()
  // by parts, then end_part() by parts and end_marks() have the same effect.
  void search(std::size_t part, std::uint64_t block, const BlockLog& log, const BlockView* view);
  void add_searched(std::uint64_t block, const BlockLog& log);
  void mark(std::size_t part, const BlockLog& log);
  void end_part(std::size_t part);
  void end_marks();
  /// Whether search() has found races that add_searched() has not taken yet.
  bool has_found() const { return races_.has_found(); }
  const MemoryPart& part(std::size_t index) const { return races_.part(index); }
  /// Adds the parts for which search() must be called. Thread safe.
  void add_parts(PartSet& parts, const BlockLog& log) const { races_.add_parts(parts, log); }
  /// As RaceParts::release().
  void release(std::size_t part) { races_.release(part); }
  /// Adds the findings of a block; called before its log is added.
  /// `alone`: the block ran directly on memory.
  void add(std::vector<Fault> findings, bool alone);
  /// Races between blocks that can change a result, so far: one for each thread and element.
  std::uint64_t harmful_races() const { return harmful_races_; }
  /// Those that search() has found since.
  bool has_news(std::uint64_t block, std::uint64_t address) const { return races_.has_news(block, address); }

  const UnstoredMemory& unstored() const { return unstored_; }
  /// Adds what blocks have read of unstored().
  void add_reads(const ReadMap& reads) { reads_.add(reads); }

  /// The findings of the launch, folded.
  std::vector<Fault> take_findings();
  std::vector<MemoryAccess> take_accesses();

 private:
  /// Memory that a line has stored.
  struct Stored {
    std::uint64_t address = 0, size_bytes = 0;
    StoreLine line = 0;

    bool is_continued_by(const Stored& next) const {
      return next.line == line && next.address == address + size_bytes;
    }
  };
  struct alignas(64) Part {             // a cache line, since threads change neighbouring parts
    std::vector<Stored> unmarked;       ///< for end_marks()
    bool has_stored_elsewhere = false;  ///< to memory of `unstored_`
  };

  void report(const FoundRaces& races);
  Fault describe(const Race& race) const;
  void mark_written(const BlockLog& log);
  void number_lines();

  const LaunchContext& launch_;
  GlobalMemory& memory_;
  UnstoredMemory unstored_;
  ReadMap reads_;
  RaceParts races_;
  AccessSummary accesses_;
  std::vector<Part> parts_;
  Findings findings_;
  std::uint64_t harmful_races_ = 0;
  std::vector<StoreLine> lines_;  ///< by site, of stores
};

}  // namespace vgpu::exec
