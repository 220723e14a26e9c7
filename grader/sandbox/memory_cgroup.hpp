// A memory control group for one box: limits the total memory of its processes, reports whether the kernel
// killed one because memory was exhausted, and kills the remaining processes. Works with cgroup v1 and v2 if
// the caller may create groups (root, or a delegated subtree).
//
// Sources: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of the Linux kernel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/descriptor.hpp"

namespace grader {

/// A folder in which groups can be created.
struct CgroupFolder {
  std::filesystem::path path;
  int version = 2;
};

/// The folder nearest to the caller's own group in which a group with a memory limit can be created.
std::optional<CgroupFolder> find_memory_cgroups();

class MemoryCgroup {
 public:
  /// nullopt: the group could not be created or limited.
  static std::optional<MemoryCgroup> make(const CgroupFolder& parent, std::uint64_t limit_bytes);
  MemoryCgroup(MemoryCgroup&&) noexcept;
  MemoryCgroup& operator=(MemoryCgroup&&) = delete;
  /// Kills every process in the group and removes the group.
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
