#include "vgpu/cudart/client/streams/work.hpp"

#include <algorithm>
#include <cstring>

#include "vgpu/cudart/client/memory/arrays.hpp"
#include "vgpu/cudart/client/memory/managed_variables.hpp"
#include "vgpu/cudart/client/streams/capture.hpp"
#include "vgpu/cudart/client/streams/host_functions.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not deduce it for aggregates

Outcome perform_kernel(Runtime& runtime, const KernelWork& work, std::uint32_t stream) {
  const auto kernel = runtime.kernel(work.function);
  if (!kernel) return kernel.error();
  LaunchKernel request;
  request.issue = issue_to(runtime, stream, work.caller);
  request.module = *(*kernel)->binary->module;
  request.kernel = (*kernel)->name;
  request.grid = {work.grid.x, work.grid.y, work.grid.z};
  request.block = {work.block.x, work.block.y, work.block.z};
  request.dynamic_shared_bytes = work.dynamic_shared_bytes;
  request.allowed_dynamic_shared_bytes = (*kernel)->allowed_dynamic_shared_bytes;
  request.cooperative = work.cooperative;
  place_managed_variables(runtime, (*kernel)->binary);
  Outcome problem = send_managed_variables(runtime);
  if (problem.error != cudaSuccess) return problem;
  const auto answered = runtime.ask(request, work.parameters);
  if (!answered) return {error_of(answered.status), "kernel " + request.kernel + ": " + answered.reason};
  runtime.note_launch(request.kernel, answered.answer);
  return fetch_managed_variables(runtime);
}

Outcome perform_mark(Runtime& runtime, MarkKind kind, cudaEvent_t handle, std::uint32_t stream) {
  Event* event = find_event(handle);
  if (!event) return invalid_event();  // the event was destroyed after the work was recorded
  if (kind == MarkKind::event_record) {
    event->is_recorded = true;
    event->capture.reset();
    event->stream = stream;
    event->last_host_function = last_host_function();
  }
  if (!event->is_recorded) return {};  // never recorded: nothing to wait for
  const std::uint64_t number =
      event->number;  // a host function gives other threads time to destroy the event
  if (kind == MarkKind::event_wait)
    run_host_functions_before(runtime, event->stream, event->last_host_function);
  return outcome_of(runtime.ask(Mark{kind, stream, number}));
}

Outcome check_kernel(Runtime& runtime, const KernelWork& work) {
  const auto kernel = runtime.kernel(work.function);
  return kernel ? Outcome() : kernel.error();
}

std::vector<std::byte> packed(const KernelFacts& facts, void** arguments) {
  std::vector<std::byte> bytes(facts.parameter_bytes);
  if (!arguments) return bytes;  // the kernel has no parameters
  for (std::size_t i = 0; i < facts.parameter_sizes.size() && i < facts.parameter_offsets.size(); ++i) {
    const std::size_t offset = facts.parameter_offsets[i];
    const std::size_t size = facts.parameter_sizes[i];
    if (offset <= bytes.size() && size <= bytes.size() - offset)
      std::memcpy(&bytes[offset], arguments[i], size);
  }
  return bytes;
}

/// One side of a 3D copy: an array, or a pitched pointer, and a position in it.
struct Side {
  const Array* array;  ///< nullptr if the side is `memory`
  const cudaPitchedPtr& memory;
  cudaPos position;  ///< x in bytes
};

OrOutcome<Side> side_of(cudaArray_t handle, const cudaPitchedPtr& memory, cudaPos position) {
  if (!handle) return Side{nullptr, memory, position};
  const Array* array = find_array(handle);
  if (!array) return grader::Unexpected{invalid_array()};
  // Positions in arrays are in texels (CUDA Runtime API, cudaMemcpy3D).
  position.x *= texel_bytes(array->channels);
  return Side{array, memory, position};
}

OrOutcome<Rows> rows_at(const Side& side, const Box& box) {
  if (side.array) return rows_in(*side.array, side.position, box);
  const bool has_rows = box.height > 1 || box.depth > 1;
  if (has_rows && side.memory.pitch < box.width) {
    return grader::Unexpected{Outcome(
        cudaErrorInvalidPitchValue, "rows of " + std::to_string(box.width) + " bytes, but a pitch of only " +
                                        std::to_string(side.memory.pitch) + " bytes")};
  }
  const Rows whole{address_of(side.memory.ptr), side.memory.pitch, side.memory.ysize};
  return Rows{row_address(whole, side.position.z, side.position.y) + side.position.x, whole.pitch,
              whole.slice_rows};
}

}  // namespace

Outcome check(Runtime& runtime, const Work& work) {
  return std::visit(
      Overloaded{
          [&](const KernelWork& kernel) { return check_kernel(runtime, kernel); },
          [&](const CopyWork& copy) { return check_copy(runtime, copy); },
          [&](const FillWork& fill) { return check_fill(runtime, fill); },
          [](const HostWork& host) {
            return host.function ? Outcome() : Outcome(cudaErrorInvalidValue, "the host function is null");
          },
          [](const RecordWork& record) { return find_event(record.event) ? Outcome() : invalid_event(); },
          [](const WaitWork& wait) { return find_event(wait.event) ? Outcome() : invalid_event(); },
          [](const auto&) { return Outcome(); },
      },
      work);
}

Outcome perform(Runtime& runtime, const Work& work, std::uint32_t stream) {
  // Work is performed when it is issued, so what it follows must have run.
  const bool is_executed =
      !std::holds_alternative<HostWork>(work) && !std::holds_alternative<RecordWork>(work);
  if (is_executed) run_host_functions_of(runtime, stream);
  return std::visit(Overloaded{
                        [](const EmptyWork&) { return Outcome(); },
                        [&](const KernelWork& kernel) { return perform_kernel(runtime, kernel, stream); },
                        [&](const CopyWork& copy) { return perform_copy(runtime, copy, stream); },
                        [&](const FillWork& fill) { return perform_fill(runtime, fill, stream); },
                        [&](const HostWork& host) {
                          return add_host_function(runtime, stream, [host] { host.function(host.data); });
                        },
                        [&](const RecordWork& record) {
                          return perform_mark(runtime, MarkKind::event_record, record.event, stream);
                        },
                        [&](const WaitWork& wait) {
                          return perform_mark(runtime, MarkKind::event_wait, wait.event, stream);
                        },
                        [&](const GraphWork& graph) { return perform_graph(runtime, *graph.list, stream); },
                    },
                    work);
}

Outcome issue(Runtime& runtime, cudaStream_t handle, const Work& work) {
  Stream* stream = find_stream(handle);
  if (!stream) return invalid_stream();
  Outcome problem = check(runtime, work);
  if (problem.error != cudaSuccess) return problem;
  if (auto captured = capture_work(*stream, work)) return *std::move(captured);
  return perform(runtime, work, stream->number);
}

Outcome issue_and_wait(Runtime& runtime, const CopyWork& work) {
  Outcome outcome = issue(runtime, nullptr, work);
  // Copies within the device do not block the host (CUDA Runtime API, "API synchronization behavior").
  const bool is_over = outcome.error == cudaSuccess && work.kind != cudaMemcpyDeviceToDevice;
  return is_over ? wait_for_stream(runtime, nullptr) : outcome;
}

Outcome issue_and_wait(Runtime& runtime, const FillWork& work) {
  Outcome outcome = issue(runtime, nullptr, work);
  const auto memory = runtime.memory().find(work.to.address);
  // Fills block the host only for pinned and managed memory (CUDA Runtime API, "API synchronization
  // behavior").
  const bool is_over = outcome.error == cudaSuccess && memory && is_shared(memory->kind);
  return is_over ? wait_for_stream(runtime, nullptr) : outcome;
}

OrOutcome<KernelWork> kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                                  void** arguments, std::size_t dynamic_shared_bytes) {
  const auto kernel = runtime.kernel(function);
  if (!kernel) return grader::Unexpected{kernel.error()};
  const KernelFacts& facts = *(*kernel)->facts;
  if (!arguments && !facts.parameter_sizes.empty())
    return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the argument list is null")};
  if (facts.cluster_blocks != 1) {
    const std::string what = "a launch of " + (*kernel)->name + " in clusters of " +
                             std::to_string(facts.cluster_blocks) + " blocks";
    runtime.report_unsupported(what.c_str());
    return grader::Unexpected{Outcome(cudaErrorNotSupported, what)};
  }
  return KernelWork{function, grid, block, dynamic_shared_bytes, false, packed(facts, arguments)};
}

CopyWork linear_copy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind) {
  return {{address_of(to)}, {address_of(from)}, {size_bytes, 1, 1}, kind};
}

OrOutcome<CopyWork> copy_3d(const cudaMemcpy3DParms* given) {
  if (!given) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the parameters' address is null")};
  const auto to = side_of(given->dstArray, given->dstPtr, given->dstPos);
  if (!to) return grader::Unexpected{to.error()};
  const auto from = side_of(given->srcArray, given->srcPtr, given->srcPos);
  if (!from) return grader::Unexpected{from.error()};
  const std::size_t to_bytes = to->array ? texel_bytes(to->array->channels) : 1;
  const std::size_t from_bytes = from->array ? texel_bytes(from->array->channels) : 1;
  if (to->array && from->array && to_bytes != from_bytes)
    return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the arrays have texels of different sizes")};
  const cudaExtent& extent = given->extent;
  // If an array takes part in the copy, the width is in its texels (CUDA Runtime API, cudaMemcpy3D).
  const auto width = bytes_of(Box{extent.width, std::max(to_bytes, from_bytes), 1});
  if (!width) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the size is larger than any memory")};
  const Box box{*width, extent.height, extent.depth};
  const auto to_rows = rows_at(*to, box);
  if (!to_rows) return grader::Unexpected{to_rows.error()};
  const auto from_rows = rows_at(*from, box);
  if (!from_rows) return grader::Unexpected{from_rows.error()};
  return CopyWork{*to_rows, *from_rows, box, given->kind};
}

}  // namespace vgpu::cudart::client
