// Unpacks an archive in a sandbox: a program with libarchive reads the archive there, under limits, and the
// grader receives a listing with the bytes of selected files. So an attack on libarchive stays in the
// sandbox, and no name from an archive ever reaches a file system. See decision record 0015. Thread safety:
// unpack() may be called from several threads. Covered by packages/unpacking_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "packages/archive.hpp"
#include "packages/file_tree.hpp"
#include "packages/roster.hpp"
#include "sandbox/box.hpp"

namespace grader {

inline constexpr int kArchiveDescriptor = 3, kUnpackedDescriptor = 4;  ///< in the sandbox

struct UnpackLimits {
  ArchiveLimits archive;
  std::chrono::seconds time{20};  ///< CPU time; the limit of wall time is ten times as long
};

/// The reason why there is no tree.
struct UnpackFailure {
  bool is_fault = false;  ///< fault of the machine; never charged to a student
  Diagnostic reason;      ///< WG-S11, WG-S12, WG-S13, WG-S15; WG-S03 and WG-G23 for faults
};

inline Unexpected<UnpackFailure> refused_archive(Diagnostic reason) {
  return Unexpected{UnpackFailure{false, std::move(reason)}};
}

class Unpacker {
 public:
  /// `sandbox` and `stop` must outlive the unpacker. Setting `stop` ends a sandboxed program early.
  explicit Unpacker(const Sandbox& sandbox, const std::atomic<bool>* stop = nullptr)
      : sandbox_(sandbox), stop_(stop) {}

  /// `descriptor` is an archive in a regular file; `name` is its name in messages.
  Expected<FileTree, UnpackFailure> unpack(int descriptor, const std::string& name,
                                           const std::vector<SelectedFile>& selected,
                                           const UnpackLimits& limits) const;
  /// Unpacks an archive in memory, such as one from another archive.
  Expected<FileTree, UnpackFailure> unpack_bytes(const std::string& bytes, const std::string& name,
                                                 const std::vector<SelectedFile>& selected,
                                                 const UnpackLimits& limits) const;
  /// Reads Gradescope's list of authors, also in a sandbox.
  Expected<HandInRoster, UnpackFailure> read_roster(const std::string& yaml) const;

 private:
  const Sandbox& sandbox_;
  const std::atomic<bool>* stop_;
};

/// The ending of an archive's name (".zip", ".tar.gz", …), including formats that are not supported; empty if
/// the name has no such ending.
std::string archive_ending(const std::string& name);

}  // namespace grader
