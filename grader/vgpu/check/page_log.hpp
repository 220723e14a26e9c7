// Writes the loads or the stores of a page of the shadow to the log of a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vgpu/check/block_log.hpp"
#include "vgpu/check/global_shadow.hpp"

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

 private:
  static constexpr std::size_t kEnd = GlobalShadow::kPageGranules;

  /// `at` if its granule is in a line that was accessed, else the first later granule that is.
  std::size_t in_lines(std::size_t at) const;
  /// Write the group, with those after it that were accessed in one way, and return the group after them.
  std::size_t write_readers(std::size_t group);
  std::size_t write_writer(std::size_t group);
  /// The end of the groups from `group` on, of which the first has this key and shift, whose threads continue
  /// those of the group before; is_like(group, bits) compares a group with them.
  template <class IsLike>
  std::size_t end_of_groups(std::size_t group, std::int32_t key, unsigned shift, IsLike is_like) const;
  /// Writes the granules from `at` on that were accessed in one way, according to their keys, and returns the
  /// granule after them.
  std::size_t write_keys(std::size_t at);
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
           SiteIndex site, const SiteIndex* sites);
  /// Whether `next` continues the log's last run, whose threads can start over for that.
  bool continues(AccessRun& run, const AccessRun& next) const;
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
