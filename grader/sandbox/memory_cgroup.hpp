// A memory control group for one box: limits what all its processes use together, tells whether the kernel
// killed one for want of memory, and kills what is left. Works with cgroup v1 and v2 where the caller may
// make groups (root, or a delegated subtree).
// Sources: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of the Linux kernel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/descriptor.hpp"

namespace grader {

/// Where groups can be made.
struct CgroupFolder {
  std::filesystem::path path;
  int version = 2;
};

/// The folder nearest to the caller's own group in which a group with a memory limit can be made.
std::optional<CgroupFolder> find_memory_cgroups();

class MemoryCgroup {
 public:
  /// nullopt: the group could not be made or limited.
  static std::optional<MemoryCgroup> make(const CgroupFolder& parent, std::uint64_t limit_bytes);
  MemoryCgroup(MemoryCgroup&&) noexcept;
  MemoryCgroup& operator=(MemoryCgroup&&) = delete;
  /// Kills every process in the group and removes it.
  ~MemoryCgroup();

  /// A process that writes "0" to this descriptor joins the group.
  int join_descriptor() const { return procs_.get(); }
  bool killed_for_memory() const;

 private:
  MemoryCgroup(std::filesystem::path path, int version) : path_(std::move(path)), version_(version) {}

  std::filesystem::path path_;
  int version_;
  Descriptor procs_;
};

}  // namespace grader
