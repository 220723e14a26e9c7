// Paths of the folders and files that a boxed program sees: with isolation paths inside the box, without it
// the machine's own paths.
#pragma once

#include <filesystem>
#include <vector>

#include "sandbox/box.hpp"

namespace grader {

class Places {
 public:
  explicit Places(bool isolated) : isolated_(isolated) {}

  /// The path under which the program sees `outside`.
  std::filesystem::path add(const std::filesystem::path& outside, const std::filesystem::path& inside,
                            BoxMount::Access access = BoxMount::Access::read_only) {
    mounts_.push_back({outside, inside, access});
    return isolated_ ? inside : outside;
  }
  /// The path is the same inside; /usr is mounted in every box, so paths below it are not added.
  void add_as_is(const std::filesystem::path& path) {
    if (!path.string().starts_with("/usr/")) add(path, path);
  }

  const std::vector<BoxMount>& mounts() const { return mounts_; }

 private:
  bool isolated_;
  std::vector<BoxMount> mounts_;
};

}  // namespace grader
