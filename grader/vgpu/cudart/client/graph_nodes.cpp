// Nodes of graphs built by hand: what they do.

#include "client/graph.hpp"

namespace vgpu::cudart::client {
namespace {

using Handles = std::vector<cudaGraphNode_t>;

Outcome add_node(cudaGraphNode_t* result, cudaGraph_t handle, const cudaGraphNode_t* after, size_t count,
                 Work work) {
  const auto graph = find_graph(handle);
  if (!graph) return invalid_graph();
  if (!result || (count > 0 && !after)) return null_result();
  Handles dependencies(after, after + count);
  for (const cudaGraphNode_t node : dependencies)
    if (graph->nodes.count(node) == 0) return {cudaErrorInvalidValue, "a dependency is no node of the graph"};
  *result = graph->add(std::move(work), std::move(dependencies));
  return {};
}

/// With what the parameters come to, or the reason why they cannot be.
template <class Specific>
Outcome add_node(Runtime& runtime, cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                 size_t count, OrOutcome<Specific> work) {
  if (!work) return work.error();
  Outcome problem = check(runtime, Work(*work));
  return problem.error ? problem : add_node(result, graph, after, count, Work(*std::move(work)));
}

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

/// A copy to or from byte `offset` of a variable.
OrOutcome<CopyWork> symbol_copy(Runtime& runtime, const void* symbol, size_t offset, size_t count, void* to,
                                const void* from, cudaMemcpyKind kind) {
  const auto place = runtime.place_in_variable(symbol, offset, count);
  if (!place) return grader::Unexpected{place.error()};
  return linear_copy(to ? to : pointer_to(*place), from ? from : pointer_to(*place), count, kind);
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

Outcome add_child(cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                  cudaGraph_t child) {
  const auto inner = find_graph(child);
  if (!inner || child == graph) return invalid_graph();
  auto steps = instantiate(*inner);
  if (!steps) return {cudaErrorInvalidValue, "the child graph has a cycle"};
  return add_node(result, graph, after, count, GraphWork{std::move(steps->list)});
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies) {
  return api_call("cudaGraphAddEmptyNode", CallKind::host, [&](Runtime&) {
    return add_node(pGraphNode, graph, pDependencies, numDependencies, EmptyWork{});
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaKernelNodeParams* pNodeParams) {
  return api_call("cudaGraphAddKernelNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies,
                    work_from(runtime, pNodeParams));
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaMemcpy3DParms* pCopyParams) {
  return api_call("cudaGraphAddMemcpyNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies, copy_3d(pCopyParams));
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                     const void* src, size_t count, cudaMemcpyKind kind) {
  return api_call("cudaGraphAddMemcpyNode1D", CallKind::host, [&](Runtime& runtime) {
    return add_node<CopyWork>(runtime, pGraphNode, graph, pDependencies, numDependencies,
                              linear_copy(dst, src, count, kind));
  });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                           const void* symbol, const void* src, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  return api_call("cudaGraphAddMemcpyNodeToSymbol", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies,
                    symbol_copy(runtime, symbol, offset, count, nullptr, src, kind));
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                             void* dst, const void* symbol, size_t count, size_t offset,
                                             cudaMemcpyKind kind) {
  return api_call("cudaGraphAddMemcpyNodeFromSymbol", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies,
                    symbol_copy(runtime, symbol, offset, count, dst, nullptr, kind));
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaMemsetParams* pMemsetParams) {
  return api_call("cudaGraphAddMemsetNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies, work_from(pMemsetParams));
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                 const cudaHostNodeParams* pNodeParams) {
  return api_call("cudaGraphAddHostNode", CallKind::host, [&](Runtime& runtime) {
    return add_node(runtime, pGraphNode, graph, pDependencies, numDependencies, work_from(pNodeParams));
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  return api_call("cudaGraphAddChildGraphNode", CallKind::host, [&](Runtime&) {
    return add_child(pGraphNode, graph, pDependencies, numDependencies, childGraph);
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                        cudaEvent_t event) {
  return api_call("cudaGraphAddEventRecordNode", CallKind::host, [&](Runtime& runtime) {
    return add_node<RecordWork>(runtime, pGraphNode, graph, pDependencies, numDependencies,
                                RecordWork{event});
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                      cudaEvent_t event) {
  return api_call("cudaGraphAddEventWaitNode", CallKind::host, [&](Runtime& runtime) {
    return add_node<WaitWork>(runtime, pGraphNode, graph, pDependencies, numDependencies, WaitWork{event});
  });
}

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
