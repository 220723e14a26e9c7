// The program's memory from CUDA, by address. Covered by tests/cudart/runtime_test.cpp and
// host_memory_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "vgpu/cudart/client/core/call_site.hpp"
#include "vgpu/cudart/protocol/memory_kind.hpp"

namespace vgpu::cudart::client {

/// Memory that the runtime allocated for use by both host and device, at the same address.
inline bool is_shared(MemoryKind kind) { return kind == MemoryKind::pinned || kind == MemoryKind::managed; }

struct KnownMemory {
  std::uint64_t address = 0, size_bytes = 0;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;            ///< as passed by the program
  CallSite site{};               ///< of the allocation; only for memory that the program must free
  CallSite freed{};              ///< the call that freed it
  bool in_stream_order = false;  ///< device memory from cudaMallocAsync
  MemoryKind described_as = MemoryKind::unknown;  ///< if not as `kind`

  std::uint64_t end() const { return address + size_bytes; }
};

class MemoryMap {
 public:
  void add(const KnownMemory& memory) {
    remove(memory.address);
    by_address_[memory.address] = memory;
    host_count_ += memory.kind != MemoryKind::device ? 1 : 0;
  }
  void describe(std::uint64_t address, MemoryKind kind) {
    const auto found = by_address_.find(address);
    if (found != by_address_.end()) found->second.described_as = kind;
  }
  void remove(std::uint64_t address) {
    const auto found = by_address_.find(address);
    if (found == by_address_.end()) return;
    host_count_ -= found->second.kind != MemoryKind::device ? 1 : 0;
    by_address_.erase(found);
  }
  /// Whether work of the device can use any memory of the host.
  bool holds_host() const { return host_count_ > 0; }
  /// Records that the program freed the memory with the call at `freed`.
  void free(KnownMemory memory, const CallSite& freed) {
    remove(memory.address);
    memory.freed = freed;
    freed_.push_back(memory);
    if (freed_.size() > kMaxFreed) freed_.pop_front();
  }
  void clear() {
    by_address_.clear();
    host_count_ = 0;
    freed_.clear();
  }

  /// The memory that contains the address, if CUDA knows it.
  std::optional<KnownMemory> find(std::uint64_t address) const {
    const auto next = by_address_.upper_bound(address);
    if (next == by_address_.begin()) return std::nullopt;
    const KnownMemory& before = std::prev(next)->second;
    return address < before.end() ? std::optional(before) : std::nullopt;
  }
  /// The last device memory that ends at the address or before it, not further than it is long.
  std::optional<KnownMemory> before(std::uint64_t address) const {
    auto next = by_address_.upper_bound(address);
    while (next != by_address_.begin()) {
      const KnownMemory& one = (--next)->second;
      if (one.kind != MemoryKind::device) continue;
      const bool is_near = one.end() <= address && address - one.end() <= one.size_bytes;
      return is_near ? std::optional(one) : std::nullopt;
    }
    return std::nullopt;
  }
  /// The memory that starts at the address, if any.
  std::optional<KnownMemory> at(std::uint64_t address) const {
    const auto found = by_address_.find(address);
    return found == by_address_.end() ? std::nullopt : std::optional(found->second);
  }
  /// The latest freed memory that started at the address. Only the last kMaxFreed are available.
  std::optional<KnownMemory> freed_at(std::uint64_t address) const {
    for (auto memory = freed_.rbegin(); memory != freed_.rend(); ++memory)
      if (memory->address == address) return *memory;
    return std::nullopt;
  }
  /// The latest freed memory that contained the address, with the same limit.
  std::optional<KnownMemory> freed_with(std::uint64_t address) const {
    for (auto memory = freed_.rbegin(); memory != freed_.rend(); ++memory)
      if (address >= memory->address && address < memory->end()) return *memory;
    return std::nullopt;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [address, memory] : by_address_) visit(memory);
  }
  bool overlaps(std::uint64_t address, std::uint64_t size_bytes) const {
    if (find(address)) return true;
    const auto next = by_address_.lower_bound(address);
    return next != by_address_.end() && next->first - address < size_bytes;
  }

 private:
  static constexpr std::size_t kMaxFreed = 1024;

  std::map<std::uint64_t, KnownMemory> by_address_;
  std::size_t host_count_ = 0;
  std::deque<KnownMemory> freed_;
};

}  // namespace vgpu::cudart::client
