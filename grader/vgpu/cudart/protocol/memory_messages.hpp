// Requests for memory: allocations of the device, and memory that host and device share.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/cudart/protocol/protocol.hpp"
#include "vgpu/cudart/protocol/stream_messages.hpp"
#include "vgpu/texture/texture.hpp"

namespace vgpu::cudart {

struct MemoryRange {
  std::uint64_t address = 0, size_bytes = 0;
  void fields(auto& archive) { archive(address, size_bytes); }
};

struct DeviceAddress {
  std::uint64_t address = 0;
  void fields(auto& archive) { archive(address); }
};

struct Allocate {
  using Answer = DeviceAddress;
  std::uint64_t size_bytes = 0;
  bool in_stream_order = false;  ///< from a pool, which keeps the memory mapped: the mapping costs no time
  Issue issue{};                 ///< meaningful if `in_stream_order`
  void fields(auto& archive) { archive(size_bytes, in_stream_order, issue); }
};

struct Free : DeviceAddress {
  using Answer = Nothing;
  bool in_stream_order = false;
  bool is_wait = false;           ///< the runtime waits for all work first; not if `in_stream_order`
  bool is_synchronising = false;  ///< then the host waits for the device, as with Synchronise
  Issue issue{};                  ///< meaningful unless `is_wait`
  void fields(auto& archive) { archive(address, in_stream_order, is_wait, is_synchronising, issue); }
};

/// Makes a texture or a surface object. The answer is the object's handle: the address of device memory,
/// which Free releases.
struct CreateTexture {
  using Answer = DeviceAddress;
  texture::Texture texture;
  texture::ObjectKind kind = texture::ObjectKind::texture;
  void fields(auto& archive) { archive(texture, kind); }
};

struct MemoryFacts {
  std::uint64_t free_bytes = 0, total_bytes = 0;
  void fields(auto& archive) { archive(free_bytes, total_bytes); }
};

struct QueryMemory : Nothing {
  using Answer = MemoryFacts;
};

/// Shares memory between host and device at the host's addresses: pinned or managed memory. A descriptor
/// comes with the answer. The client maps it at `address`, which is a multiple of the page size. The
/// descriptor has `size_bytes`, rounded up to whole pages, and cannot shrink.
struct ShareHostMemory : MemoryRange {
  using Answer = Nothing;
  /// What the program registers, in pages that were its own; empty for memory that CUDA allocates. The pages
  /// can hold further registrations, each of which was announced in the same way.
  MemoryRange registered{};
  void fields(auto& archive) { archive(address, size_bytes, registered); }
};

struct UnshareHostMemory : DeviceAddress {
  using Answer = Nothing;
  bool is_wait = true;  ///< the runtime waits for all work first; else copies under way still arrive
  void fields(auto& archive) { archive(address, is_wait); }
};

/// The program is about to end the registration of this memory, which no work may still use.
struct EndRegistration : MemoryRange {
  using Answer = Nothing;
  std::vector<std::uint64_t> site{};  ///< as Issue::site
  void fields(auto& archive) { archive(address, size_bytes, site); }
};

/// The code that called the program is about to read this device memory with operations of the legacy default
/// stream.
struct ReadByCaller : MemoryRange {
  using Answer = Nothing;
};

/// This device memory, which starts at a multiple of 16, is to be like new memory again.
struct ForgetContents : MemoryRange {
  using Answer = Nothing;
};

/// This memory of the host belongs to the code that called the program: an array that is an argument.
struct NameCallersMemory : MemoryRange {
  using Answer = Nothing;
};

/// A __managed__ variable has a host copy in shared memory. Every access to the variable counts as an access
/// to its host copy.
struct LinkManagedVariable {
  using Answer = Nothing;
  MemoryRange variable{};
  std::uint64_t host = 0;
  void fields(auto& archive) { archive(variable, host); }
};

}  // namespace vgpu::cudart
