// Unpacks an archive in a box: a program with libarchive reads it there, under limits, and the grader takes a
// listing with the bytes of wanted files. So what hostile bytes do to libarchive stays in the box, and no
// name from an archive ever reaches a file system. Decision record 0015. Thread safety: unpack() may be
// called from several threads. Covered by packages/unpacking_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "packages/archive.hpp"
#include "packages/file_tree.hpp"
#include "packages/roster.hpp"
#include "sandbox/box.hpp"

namespace grader {

inline constexpr int kArchiveDescriptor = 3, kUnpackedDescriptor = 4;  ///< in the box

struct UnpackLimits {
  ArchiveLimits archive;
  std::chrono::seconds time{20};  ///< of the CPU; by the clock ten times as much
};

/// Why there is no tree.
struct UnpackFailure {
  bool is_fault = false;  ///< the machine's; never charged to a student
  Diagnostic reason;      ///< WG-S11, WG-S12, WG-S13, WG-S15; WG-S03 and WG-G23 for faults
};

class Unpacker {
 public:
  /// `sandbox` must outlive it; so must `stop`, which ends a box early.
  explicit Unpacker(const Sandbox& sandbox, const std::atomic<bool>* stop = nullptr)
      : sandbox_(sandbox), stop_(stop) {}

  /// `descriptor` is an archive, a regular file; `name` is what messages call it.
  Expected<FileTree, UnpackFailure> unpack(int descriptor, const std::string& name,
                                           const std::vector<WantedFile>& wanted,
                                           const UnpackLimits& limits) const;
  /// The same for an archive in memory, such as one out of another archive.
  Expected<FileTree, UnpackFailure> unpack_bytes(const std::string& bytes, const std::string& name,
                                                 const std::vector<WantedFile>& wanted,
                                                 const UnpackLimits& limits) const;
  /// Gradescope's list of who handed in what, in a box as well.
  Expected<HandInRoster, UnpackFailure> read_roster(const std::string& yaml) const;

 private:
  const Sandbox& sandbox_;
  const std::atomic<bool>* stop_;
};

/// Whether a name ends as archives' names do (".zip", ".tar.gz", …), those that are not read included; the
/// ending.
std::string archive_ending(const std::string& name);

}  // namespace grader
