// Requests with which the client contributes to the session's report: failed calls, places in the source,
// host accesses. The device trusts none of their contents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/cudart/protocol/memory_kind.hpp"
#include "vgpu/cudart/protocol/protocol.hpp"

namespace vgpu::cudart {

/// A place in the program's source, as far as its debug information shows.
struct Source {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  void fields(auto& archive) { archive(file, line, function); }
};

enum class FailureKind : std::uint32_t {
  quiet,    ///< not reported: an expected answer, or a kernel's fault, which has its own report
  problem,  ///< reported if the program continues without checking the error
  mistake,  ///< always reported: no program calls the function this way on purpose
};

/// A runtime call that did not return cudaSuccess.
struct ReportFailure {
  using Answer = Nothing;
  std::string call;
  std::int32_t error = 0;
  std::string detail;
  FailureKind kind = FailureKind::problem;
  Source source{};
  void fields(auto& archive) { archive(call, error, detail, kind, source); }
};

/// The program continued to issue work without checking its failures since `first` (counted from 0).
struct ReportIgnored {
  using Answer = Nothing;
  std::uint64_t first = 0;
  void fields(auto& archive) { archive(first); }
};

/// A runtime call that the virtual GPU does not support.
struct ReportUnsupported {
  using Answer = Nothing;
  std::string call;
  void fields(auto& archive) { archive(call); }
};

/// Where the program allocated and freed memory. The client sends this for LaunchOutcome::undescribed_memory,
/// and for memory that the program has not freed when it ends.
struct DescribeMemory {
  using Answer = Nothing;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  MemoryKind kind = MemoryKind::unknown;
  bool is_lost = false;
  Source allocated{}, freed{};
  void fields(auto& archive) { archive(address, size_bytes, kind, is_lost, allocated, freed); }
};

/// Objects that the program has not destroyed when it ends, and that only the client knows completely.
struct ReportLiveObjects {
  using Answer = Nothing;
  std::uint64_t events = 0;  ///< also those that were never recorded
  std::uint64_t graphs = 0, executable_graphs = 0;
  std::uint64_t memory_pools = 0;  ///< without the device's own pool
  void fields(auto& archive) { archive(events, graphs, executable_graphs, memory_pools); }
};

/// Host code dereferenced a device pointer; the program is about to crash.
struct ReportCrash {
  using Answer = Nothing;
  std::uint64_t address = 0;
  Source source{};
  void fields(auto& archive) { archive(address, source); }
};

/// Host code accesses memory in use (MemoryInUse), or an address on the same page.
struct ReportHostAccess {
  using Answer = Nothing;
  std::uint64_t address = 0;
  bool is_write = false;
  bool in_host_function = false;
  MemoryKind kind = MemoryKind::unknown;
  Source source{};
  void fields(auto& archive) { archive(address, is_write, in_host_function, kind, source); }
};

/// Issue::site of every call that the report names: kSiteNumbers each, filled up with zeros.
struct CallSites {
  std::vector<std::uint64_t> numbers;
  void fields(auto& archive) { archive(numbers); }
};

struct QueryCallSites : Nothing {
  using Answer = CallSites;
};

/// The place of a call that the report names.
struct LocateCall {
  using Answer = Nothing;
  std::uint64_t number = 0;  ///< index in CallSites, from 0
  Source source{};
  void fields(auto& archive) { archive(number, source); }
};

/// The code that called the program calls its function now, perhaps for the second time.
struct BeginCall : Nothing {
  using Answer = Nothing;
};

/// The program ends normally, with a usable device, so it could have freed its memory.
struct EndProgram : Nothing {
  using Answer = Nothing;
};

}  // namespace vgpu::cudart
