// Work that goes into streams. One type for each kind, whether it is done at once, recorded while a stream is
// captured, or a node of a graph.
//
// Work is done when it is issued, in the order of the calls: a stream decides only which modelled time it
// takes. Covered by tests/cudart/copies_test.cpp, streams_test.cpp and graphs_test.cpp.
#pragma once

#include <memory>
#include <variant>

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/protocol/box.hpp"

namespace vgpu::cudart::client {

struct KernelWork {
  const void* function = nullptr;
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::byte> parameters{};  ///< packed
  CallSite::Caller caller = CallSite::Caller::program;
};

/// One side of a copy: host or device memory.
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

/// A graph inside of a graph, or one that a captured stream launches.
struct GraphWork {
  std::shared_ptr<const WorkList> list;
};

using Work =
    std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, GraphWork>;

/// In an order in which it can be done.
struct WorkList {
  std::vector<Work> steps;
};

/// What can be known to be wrong before the work is done.
Outcome check(Runtime& runtime, const Work& work);

/// Does it as work of the device's stream `stream`. Checked before.
Outcome perform(Runtime& runtime, const Work& work, std::uint32_t stream);

/// Puts work into a stream: checks it, then does it, or records it if the stream is captured.
Outcome issue(Runtime& runtime, cudaStream_t stream, const Work& work);

/// A copy in the default stream that the host waits for; copies within the device it never does.
Outcome issue_and_wait(Runtime& runtime, const CopyWork& work);
/// The same for a fill: the host waits where the memory is its own, too.
Outcome issue_and_wait(Runtime& runtime, const FillWork& work);

// How programs say what is to be done.
OrOutcome<KernelWork> kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                                  void** arguments, std::size_t dynamic_shared_bytes);
CopyWork linear_copy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind);
/// To or from byte `offset` of a variable.
OrOutcome<CopyWork> copy_to_symbol(Runtime& runtime, const void* symbol, const void* from,
                                   std::size_t size_bytes, std::size_t offset, cudaMemcpyKind kind);
OrOutcome<CopyWork> copy_from_symbol(Runtime& runtime, void* to, const void* symbol, std::size_t size_bytes,
                                     std::size_t offset, cudaMemcpyKind kind);
/// Also of arrays, whose extent and positions count texels.
OrOutcome<CopyWork> copy_3d(const cudaMemcpy3DParms* parameters);

// copy.cpp
Outcome check_copy(const Runtime& runtime, const CopyWork& work);
Outcome perform_copy(Runtime& runtime, const CopyWork& work, std::uint32_t stream);
Outcome check_fill(const Runtime& runtime, const FillWork& work);
Outcome perform_fill(Runtime& runtime, const FillWork& work, std::uint32_t stream);

}  // namespace vgpu::cudart::client
