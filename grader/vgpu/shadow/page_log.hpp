// Writes the loads or the stores of a page of the shadow to the log of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vgpu/races/block_log.hpp"
#include "vgpu/shadow/global_shadow.hpp"

namespace vgpu {

class PageLog {
 public:
  /// `oldest`: accesses with lower keys are logged already. `flags`: the flags that the runs get.
  PageLog(BlockLog& log, const GlobalShadow::Page& page, bool is_store, std::int32_t flags,
          std::int32_t oldest, std::uint32_t granule_bytes)
      : log_(log),
        page_(page),
        first_run_(log.runs.size()),
        is_store_(is_store),
        flags_(flags),
        oldest_(oldest),
        granule_bytes_(granule_bytes) {}

  void write();
  /// As write(), of a page whose accesses are all in Page::spaced.
  void write_runs();

 private:
  static constexpr std::size_t kEnd = GlobalShadow::kPageGranules;

  /// `at` if its granule is in a line that was accessed, else the first later granule that is.
  std::size_t in_lines(std::size_t at) const;
  /// Write the group, with those after it that were accessed in one way, and return the group after them.
  std::size_t write_readers(std::size_t group);
  std::size_t write_writer(std::size_t group);
  /// The sites of the groups' readers, in the records or in `buffer`.
  const SiteIndex* sites_of_groups(std::size_t group, std::size_t end, std::span<SiteIndex> buffer) const;
  /// The end of the groups from `group` on, the first of which has this key, whose threads are `threads`,
  /// which can start over for that. is_like(group, bits): whether a group's key has these bits, and the rest
  /// is alike.
  template <class IsLike>
  std::size_t end_of_groups(std::size_t group, std::int32_t key, ThreadSequence& threads,
                            IsLike is_like) const;
  /// The first granule from `at` on that was accessed, according to the keys; `end` if none before it was.
  std::size_t next_key(const std::int32_t* keys, std::size_t at, std::size_t end) const;
  /// Writes the granules from `at` on that were accessed in one way, according to their keys, and returns the
  /// granule after them.
  std::size_t write_keys(std::size_t at);
  /// Writes the elements at a constant stride that begin with the granules from `at` to `end`, which one
  /// thread accessed, and returns the granule after them; `at` if there is one element only.
  std::size_t write_spaced(std::size_t at, std::size_t end);
  /// Whether the granule was accessed, with these bits of its key.
  bool has(const std::int32_t* keys, std::size_t at, std::int32_t bits) const;
  /// The bits of the keys in a run: equal for all its granules, or counting up with the thread.
  std::int32_t run_bits() const { return flags_ | AccessKey::kThreadMask; }
  /// The end of the granules from `at` on whose keys are that of `at`, with other threads.
  std::size_t end_of_stretch(const std::int32_t* keys, std::size_t at, const ThreadSequence& threads) const;
  /// How the threads follow one another from `at` on, without a period.
  ThreadSequence threads_from(const std::int32_t* keys, std::size_t at) const;
  /// Writes a run of granules whose sites are `sites`, or all `site` if `sites` is nullptr.
  void add(std::size_t at, std::size_t granules, std::int32_t key, const ThreadSequence& threads,
           SiteIndex site, const SiteIndex* sites, const Spacing& spacing = {});
  /// Whether `next` continues the log's last run, whose spacing and threads can change for that.
  bool continues(AccessRun& run, const AccessRun& next) const;
  /// Whether `next` is the second element of a run with gaps, whose first one is the run so far.
  bool begins_spacing(AccessRun& run, const AccessRun& next) const;
  /// Whether the threads of `next` continue those of the run, which can start over for that.
  static bool continues_threads(AccessRun& run, const AccessRun& next);
  void give_sites(AccessRun& run);

  BlockLog& log_;
  const GlobalShadow::Page& page_;
  std::size_t first_run_;  ///< the page's first run in the log
  bool is_store_;
  std::int32_t flags_;
  std::int32_t oldest_;
  std::uint32_t granule_bytes_;
};

}  // namespace vgpu
