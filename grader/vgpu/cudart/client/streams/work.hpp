// Work in streams, with one type per kind of work. The same types describe work that is performed
// immediately, work that a capture records, and nodes of graphs.
//
// Work is performed when it is issued, in the order of the calls; only host functions wait
// (host_functions.hpp). A stream affects the modelled time of the work. Covered by
// tests/cudart/copies_test.cpp, streams_test.cpp and graphs_test.cpp.
#pragma once

#include <memory>
#include <variant>

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/client/streams/branches.hpp"
#include "vgpu/cudart/protocol/box.hpp"

namespace vgpu::cudart::client {

struct KernelWork {
  const void* function = nullptr;
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::byte> parameters{};  ///< packed at KernelFacts::parameter_offsets
  CallSite::Caller caller = CallSite::Caller::program;
};

/// Each side is host or device memory.
struct CopyWork {
  Rows to, from;
  Box box;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct FillWork {
  Rows to;
  Box box;
  std::uint32_t value = 0, value_bytes = 1;
};

struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

struct EmptyWork {};

struct RecordWork {
  cudaEvent_t event = nullptr;
};

struct WaitWork {
  cudaEvent_t event = nullptr;
};

struct WorkList;

/// A child graph, or a graph that a captured stream launches.
struct GraphWork {
  std::shared_ptr<const WorkList> list;
};

using Work =
    std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, GraphWork>;

/// Work in an order that respects its dependencies.
struct WorkList {
  std::vector<Work> steps;
  std::vector<Placement> placements;  ///< of each step
};

/// Finds errors that are detectable before the work is performed.
Outcome check(Runtime& runtime, const Work& work);

/// Performs the work in the device's stream `stream`. The caller has called check() before.
Outcome perform(Runtime& runtime, const Work& work, std::uint32_t stream);

/// Performs the steps of a graph that is launched in the device's stream `stream`: work_list.cpp.
Outcome perform_graph(Runtime& runtime, const WorkList& list, std::uint32_t stream);

/// Issues work to a stream: checks it, then performs it, or records it if the stream is captured.
Outcome issue(Runtime& runtime, cudaStream_t stream, const Work& work);

/// Issues a copy to the default stream. The host waits for the copy, unless it is within the device.
Outcome issue_and_wait(Runtime& runtime, const CopyWork& work);
/// Issues a fill to the default stream. The host waits if the memory is shared with it.
Outcome issue_and_wait(Runtime& runtime, const FillWork& work);

// Convert the arguments of API functions to work.
OrOutcome<KernelWork> kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                                  void** arguments, std::size_t dynamic_shared_bytes);
CopyWork linear_copy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind);
/// Copies to or from byte `offset` of a variable.
OrOutcome<CopyWork> copy_to_symbol(Runtime& runtime, const void* symbol, const void* from,
                                   std::size_t size_bytes, std::size_t offset, cudaMemcpyKind kind);
OrOutcome<CopyWork> copy_from_symbol(Runtime& runtime, void* to, const void* symbol, std::size_t size_bytes,
                                     std::size_t offset, cudaMemcpyKind kind);
/// Also for arrays, whose extents and positions are in texels.
OrOutcome<CopyWork> copy_3d(const cudaMemcpy3DParms* parameters);

// copy.cpp
Outcome check_copy(const Runtime& runtime, const CopyWork& work);
Outcome perform_copy(Runtime& runtime, const CopyWork& work, std::uint32_t stream);
Outcome check_fill(const Runtime& runtime, const FillWork& work);
Outcome perform_fill(Runtime& runtime, const FillWork& work, std::uint32_t stream);

}  // namespace vgpu::cudart::client
