// A lock on a real GPU across all processes of the machine: shared for ordinary runs, exclusive for
// measurements. First come, first served: a waiting exclusive turn is not overtaken by later shared turns.
// The lock is released when its process ends, in whatever way. Thread safe; a thread takes one turn at a
// time. Covered by runner/device_lock_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.hpp"
#include "base/expected.hpp"

namespace grader {

class DeviceLock {
 public:
  /// `device` is the GPU's UUID, which is the same in every process. No file is created before the first
  /// turn.
  explicit DeviceLock(const std::string& device, const std::filesystem::path& folder = default_folder());

  /// The lock is held for the lifetime of this object.
  class [[nodiscard]] Turn {
   public:
    explicit Turn(Descriptor lock) : lock_(std::move(lock)) {}

   private:
    Descriptor lock_;
  };

  // Both wait for the lock. The error is the reason why the lock file cannot be opened ("Permission denied").
  Expected<Turn, std::string> shared() const;     ///< other shared turns at the same time, no exclusive one
  Expected<Turn, std::string> exclusive() const;  ///< no other turn at the same time

  /// /run/lock if all users can write to it, else /tmp: the same folder for all users of a machine.
  static std::filesystem::path default_folder();

 private:
  Expected<Turn, std::string> take(int operation) const;

  std::filesystem::path gate_, lock_;
};

}  // namespace grader
