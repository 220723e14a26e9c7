// What nodes of graphs do, told and changed: in a graph, and in what was made of it.

#include "client/graph.hpp"

namespace vgpu::cudart::client {
namespace {

/// The work of a node of this kind; nullptr: there is no such node.
template <class Specific>
Specific* work_of(cudaGraphNode_t handle) {
  Node* node = find_node(handle);
  return node ? std::get_if<Specific>(&node->work) : nullptr;
}

template <class Specific>
Outcome set_work(Runtime& runtime, cudaGraphNode_t handle, OrOutcome<Specific> work) {
  Specific* now = work_of<Specific>(handle);
  if (!now) return invalid_node();
  if (!work) return work.error();
  Outcome problem = check(runtime, Work(*work));
  if (!problem.error) *now = *std::move(work);
  return problem;
}

/// The same for a step of an executable graph.
template <class Specific>
Outcome set_step(Runtime& runtime, cudaGraphExec_t executable, cudaGraphNode_t node,
                 OrOutcome<Specific> work) {
  const auto graph = find_executable(executable);
  if (!graph) return invalid_graph();
  Work* step = graph->step(node);
  if (!step || !std::holds_alternative<Specific>(*step)) return invalid_node();
  if (!work) return work.error();
  Outcome problem = check(runtime, Work(*work));
  if (!problem.error) *step = *std::move(work);
  return problem;
}

Outcome get_kernel(Runtime& runtime, cudaGraphNode_t handle, cudaKernelNodeParams* result) {
  KernelWork* work = work_of<KernelWork>(handle);
  if (!work) return invalid_node();
  if (!result) return null_result();
  const auto kernel = runtime.kernel(work->function);
  if (!kernel) return kernel.error();
  auto& addresses = find_node(handle)->argument_addresses;
  addresses.clear();
  for (const std::uint64_t offset : (*kernel)->facts->parameter_offsets)
    addresses.push_back(work->parameters.data() + offset);
  *result = {const_cast<void*>(work->function),
             work->grid,
             work->block,
             static_cast<unsigned>(work->dynamic_shared_bytes),
             addresses.data(),
             nullptr};
  return {};
}

Outcome get_copy(cudaGraphNode_t handle, cudaMemcpy3DParms* result) {
  const CopyWork* work = work_of<CopyWork>(handle);
  if (!work) return invalid_node();
  if (!result) return null_result();
  *result = {};
  const auto side = [&](const Rows& rows) {
    return cudaPitchedPtr{pointer_to(rows.address), rows.pitch, work->box.width, rows.slice_rows};
  };
  result->dstPtr = side(work->to);
  result->srcPtr = side(work->from);
  result->extent = {work->box.width, work->box.height, work->box.depth};
  result->kind = work->kind;
  return {};
}

Outcome get_fill(cudaGraphNode_t handle, cudaMemsetParams* result) {
  const FillWork* work = work_of<FillWork>(handle);
  if (!work) return invalid_node();
  return answer(result, {pointer_to(work->to.address), work->to.pitch, work->value, work->value_bytes,
                         work->box.width / work->value_bytes, work->box.height});
}

Outcome get_host(cudaGraphNode_t handle, cudaHostNodeParams* result) {
  const HostWork* work = work_of<HostWork>(handle);
  return work ? answer(result, {work->function, work->data}) : invalid_node();
}

}  // namespace

OrOutcome<KernelWork> work_from(Runtime& runtime, const cudaKernelNodeParams* given) {
  if (!given) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the parameters' address is null")};
  if (given->extra)
    return grader::Unexpected{
        Outcome(cudaErrorNotSupported, "kernel arguments in `extra`; use kernelParams")};
  return kernel_work(runtime, given->func, given->gridDim, given->blockDim, given->kernelParams,
                     given->sharedMemBytes);
}

OrOutcome<FillWork> work_from(const cudaMemsetParams* given) {
  if (!given) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the parameters' address is null")};
  const unsigned bytes = given->elementSize;
  if (bytes != 1 && bytes != 2 && bytes != 4)
    return grader::Unexpected{Outcome(cudaErrorInvalidValue, "elementSize must be 1, 2 or 4")};
  return FillWork{{address_of(given->dst), given->pitch, given->height},
                  {given->width * bytes, given->height, 1},
                  given->value,
                  bytes};
}

OrOutcome<HostWork> work_from(const cudaHostNodeParams* given) {
  if (!given) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the parameters' address is null")};
  return HostWork{given->fn, given->userData};
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* pNodeParams) {
  return api_call("cudaGraphKernelNodeGetParams", CallKind::host,
                  [&](Runtime& runtime) { return get_kernel(runtime, node, pNodeParams); });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* pNodeParams) {
  return api_call("cudaGraphKernelNodeSetParams", CallKind::host,
                  [&](Runtime& runtime) { return set_work(runtime, node, work_from(runtime, pNodeParams)); });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
  return api_call("cudaGraphMemcpyNodeGetParams", CallKind::host,
                  [&](Runtime&) { return get_copy(node, pNodeParams); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* pNodeParams) {
  return api_call("cudaGraphMemcpyNodeSetParams", CallKind::host,
                  [&](Runtime& runtime) { return set_work(runtime, node, copy_3d(pNodeParams)); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src, size_t count,
                                           cudaMemcpyKind kind) {
  return api_call("cudaGraphMemcpyNodeSetParams1D", CallKind::host, [&](Runtime& runtime) {
    return set_work<CopyWork>(runtime, node, linear_copy(dst, src, count, kind));
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* pNodeParams) {
  return api_call("cudaGraphMemsetNodeGetParams", CallKind::host,
                  [&](Runtime&) { return get_fill(node, pNodeParams); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* pNodeParams) {
  return api_call("cudaGraphMemsetNodeSetParams", CallKind::host,
                  [&](Runtime& runtime) { return set_work(runtime, node, work_from(pNodeParams)); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* pNodeParams) {
  return api_call("cudaGraphHostNodeGetParams", CallKind::host,
                  [&](Runtime&) { return get_host(node, pNodeParams); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* pNodeParams) {
  return api_call("cudaGraphHostNodeSetParams", CallKind::host,
                  [&](Runtime& runtime) { return set_work(runtime, node, work_from(pNodeParams)); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* pNodeParams) {
  return api_call("cudaGraphExecKernelNodeSetParams", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, hGraphExec, node, work_from(runtime, pNodeParams));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* pNodeParams) {
  return api_call("cudaGraphExecMemcpyNodeSetParams", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, hGraphExec, node, copy_3d(pNodeParams));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                               const void* src, size_t count, cudaMemcpyKind kind) {
  return api_call("cudaGraphExecMemcpyNodeSetParams1D", CallKind::host, [&](Runtime& runtime) {
    return set_step<CopyWork>(runtime, hGraphExec, node, linear_copy(dst, src, count, kind));
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemsetParams* pNodeParams) {
  return api_call("cudaGraphExecMemsetNodeSetParams", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, hGraphExec, node, work_from(pNodeParams));
  });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* pNodeParams) {
  return api_call("cudaGraphExecHostNodeSetParams", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, hGraphExec, node, work_from(pNodeParams));
  });
}
}
