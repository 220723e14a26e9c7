// Who may use a real GPU now, among all processes of the machine: many at once while nobody measures, or one
// alone. First come, first served: whoever waits to be alone is not overtaken by those that come later. The
// lock goes with its process, however that ends. Thread safe; a thread takes one turn at a time.
// Covered by runner/device_lock_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.hpp"
#include "base/expected.hpp"

namespace grader {

class DeviceLock {
 public:
  /// `device` names the GPU the same in every process: its UUID. Nothing is made before the first turn.
  explicit DeviceLock(const std::string& device, const std::filesystem::path& folder = default_folder());

  /// Lasts as long as the object.
  class [[nodiscard]] Turn {
   public:
    explicit Turn(Descriptor lock) : lock_(std::move(lock)) {}

   private:
    Descriptor lock_;
  };

  // Both wait. The error says why there is no lock file ("Permission denied").
  Expected<Turn, std::string> shared() const;     ///< others may run too, but nobody measures
  Expected<Turn, std::string> exclusive() const;  ///< nobody else has a turn

  /// /run/lock where everybody may write, else /tmp: the same for all users of a machine.
  static std::filesystem::path default_folder();

 private:
  Expected<Turn, std::string> take(int operation) const;

  std::filesystem::path gate_, lock_;
};

}  // namespace grader
