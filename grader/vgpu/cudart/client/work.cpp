#include "client/work.hpp"

#include <cstring>

#include "client/capture.hpp"
#include "client/managed_variables.hpp"
#include "client/streams.hpp"

namespace vgpu::cudart::client {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not find it by itself

Outcome perform_kernel(Runtime& runtime, const KernelWork& work, std::uint32_t stream) {
  const auto kernel = runtime.kernel(work.function);
  if (!kernel) return kernel.error();
  LaunchKernel request;
  request.issue.stream = stream;
  request.module = *(*kernel)->binary->module;
  request.kernel = (*kernel)->name;
  request.grid = {work.grid.x, work.grid.y, work.grid.z};
  request.block = {work.block.x, work.block.y, work.block.z};
  request.dynamic_shared_bytes = work.dynamic_shared_bytes;
  request.allowed_dynamic_shared_bytes = (*kernel)->allowed_dynamic_shared_bytes;
  request.cooperative = work.cooperative;
  Outcome problem = send_managed_variables(runtime);
  if (problem.error != cudaSuccess) return problem;
  const auto answered = runtime.ask(request, work.parameters);
  if (!answered) return {error_of(answered.status), "kernel " + request.kernel + ": " + answered.reason};
  runtime.note_launch(request.kernel, answered.answer);
  return fetch_managed_variables(runtime);
}

Outcome perform_host(Runtime& runtime, const HostWork& work, std::uint32_t stream) {
  Outcome outcome = outcome_of(runtime.ask(Mark{MarkKind::host_function, stream}));
  if (outcome.error != cudaSuccess) return outcome;
  runtime.call_host_function([&work] { work.function(work.data); });
  return outcome;
}

Outcome perform_mark(Runtime& runtime, MarkKind kind, cudaEvent_t handle, std::uint32_t stream) {
  Event* event = find_event(handle);
  if (!event) return invalid_event();  // destroyed since the work was recorded
  if (kind == MarkKind::event_record) {
    event->is_recorded = true;
    event->capture.reset();
  }
  if (!event->is_recorded) return {};  // nothing to wait for
  return outcome_of(runtime.ask(Mark{kind, stream, event->number}));
}

Outcome check_kernel(Runtime& runtime, const KernelWork& work) {
  const auto kernel = runtime.kernel(work.function);
  return kernel ? Outcome() : kernel.error();
}

Outcome perform_all(Runtime& runtime, const WorkList& list, std::uint32_t stream) {
  for (const Work& step : list.steps) {
    if (runtime.has_waiting_fault()) return {};  // what is behind the kernel that faulted is not done
    Outcome outcome = perform(runtime, step, stream);
    if (outcome.error != cudaSuccess) return outcome;
  }
  return {};
}

std::vector<std::byte> packed(const KernelFacts& facts, void** arguments) {
  std::vector<std::byte> bytes(facts.parameter_bytes);
  if (!arguments) return bytes;  // the kernel takes none
  for (std::size_t i = 0; i < facts.parameter_sizes.size() && i < facts.parameter_offsets.size(); ++i) {
    const std::size_t offset = facts.parameter_offsets[i];
    const std::size_t size = facts.parameter_sizes[i];
    if (offset <= bytes.size() && size <= bytes.size() - offset)
      std::memcpy(&bytes[offset], arguments[i], size);
  }
  return bytes;
}

/// One side of a 3D copy: a pitched pointer and a position in it.
Rows rows_at(const cudaPitchedPtr& memory, const cudaPos& position) {
  const Rows whole{address_of(memory.ptr), memory.pitch, memory.ysize};
  return {row_address(whole, position.z, position.y) + position.x, memory.pitch, memory.ysize};
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
  return std::visit(Overloaded{
                        [](const EmptyWork&) { return Outcome(); },
                        [&](const KernelWork& kernel) { return perform_kernel(runtime, kernel, stream); },
                        [&](const CopyWork& copy) { return perform_copy(runtime, copy, stream); },
                        [&](const FillWork& fill) { return perform_fill(runtime, fill, stream); },
                        [&](const HostWork& host) { return perform_host(runtime, host, stream); },
                        [&](const RecordWork& record) {
                          return perform_mark(runtime, MarkKind::event_record, record.event, stream);
                        },
                        [&](const WaitWork& wait) {
                          return perform_mark(runtime, MarkKind::event_wait, wait.event, stream);
                        },
                        [&](const GraphWork& graph) { return perform_all(runtime, *graph.list, stream); },
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
  const bool is_over = outcome.error == cudaSuccess && work.kind != cudaMemcpyDeviceToDevice;
  return is_over ? wait_for_stream(runtime, nullptr) : outcome;
}

OrOutcome<KernelWork> kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                                  void** arguments, std::size_t dynamic_shared_bytes) {
  const auto kernel = runtime.kernel(function);
  if (!kernel) return grader::Unexpected{kernel.error()};
  const KernelFacts& facts = *(*kernel)->facts;
  if (!arguments && !facts.parameter_sizes.empty())
    return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the argument list is null")};
  return KernelWork{function, grid, block, dynamic_shared_bytes, false, packed(facts, arguments)};
}

CopyWork linear_copy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind) {
  return {{address_of(to)}, {address_of(from)}, {size_bytes, 1, 1}, kind};
}

OrOutcome<CopyWork> copy_3d(const cudaMemcpy3DParms* given) {
  if (!given) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the parameters' address is null")};
  if (given->srcArray || given->dstArray)
    return grader::Unexpected{Outcome(cudaErrorNotSupported, "the virtual GPU has no CUDA arrays")};
  const cudaExtent& extent = given->extent;
  for (const cudaPitchedPtr* side : {&given->srcPtr, &given->dstPtr}) {
    const bool has_rows = extent.height > 1 || extent.depth > 1;
    if (has_rows && side->pitch < extent.width) {
      return grader::Unexpected{Outcome(cudaErrorInvalidPitchValue,
                                        "rows of " + std::to_string(extent.width) + " bytes, but only " +
                                            std::to_string(side->pitch) + " from one to the next")};
    }
  }
  return CopyWork{rows_at(given->dstPtr, given->dstPos),
                  rows_at(given->srcPtr, given->srcPos),
                  {extent.width, extent.height, extent.depth},
                  given->kind};
}

}  // namespace vgpu::cudart::client
