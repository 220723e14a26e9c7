// Queries and changes the parameters of nodes, in graphs and in executable graphs.

#include "vgpu/cudart/client/graphs/graph.hpp"

namespace vgpu::cudart::client {
namespace {

/// The work of a node; nullptr if the node does not exist or has another kind of work.
template <class Specific>
Specific* work_of(cudaGraphNode_t handle) {
  Node* node = find_node(handle);
  return node ? std::get_if<Specific>(&node->work) : nullptr;
}

/// Replaces `now` by work of the same kind. `now` is nullptr if the node does not exist.
Outcome replace(Runtime& runtime, Work* now, Work work) {
  if (!now || now->index() != work.index()) return invalid_node();
  Outcome problem = check(runtime, work);
  if (problem.error) return problem;
  if (auto* kernel = std::get_if<KernelWork>(&work))
    kernel->cooperative =
        std::get<KernelWork>(*now).cooperative;  // an attribute of the node, not a parameter
  *now = std::move(work);
  return {};
}

template <class Given>
Outcome set_work(Runtime& runtime, cudaGraphNode_t handle, OrOutcome<Given> work) {
  if (!work) return work.error();
  Node* node = find_node(handle);
  return replace(runtime, node ? &node->work : nullptr, *std::move(work));
}

/// Replaces the work of a step of an executable graph.
template <class Given>
Outcome set_step(Runtime& runtime, cudaGraphExec_t executable, cudaGraphNode_t node, OrOutcome<Given> work) {
  const auto graph = find_executable(executable);
  if (!graph) return invalid_graph();
  if (!work) return work.error();
  return replace(runtime, graph->step(node), *std::move(work));
}

template <class Mark>
Outcome get_event(cudaGraphNode_t handle, cudaEvent_t* result) {
  const Mark* work = work_of<Mark>(handle);
  return work ? answer(result, work->event) : invalid_node();
}

Outcome get_kernel(Runtime& runtime, cudaGraphNode_t handle, cudaKernelNodeParams* result) {
  KernelWork* work = work_of<KernelWork>(handle);
  if (!work) return invalid_node();
  if (!result) return null_result();
  const auto kernel = runtime.kernel(work->function);
  if (!kernel) return kernel.error();
  // The node owns the list of addresses, so the program can read it until the next call for this node.
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

OrOutcome<GraphWork> work_from(cudaGraph_t child) {
  const auto graph = find_graph(child);
  if (!graph) return grader::Unexpected{invalid_graph()};
  auto steps = instantiate(*graph);
  if (!steps) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the child graph has a cycle")};
  return GraphWork{std::move(steps->list)};
}

namespace {

template <class Specific>
OrOutcome<Work> any_work(OrOutcome<Specific> work) {
  if (!work) return grader::Unexpected{work.error()};
  return Work(*std::move(work));
}

}  // namespace

OrOutcome<Work> work_from(Runtime& runtime, const cudaGraphNodeParams* given) {
  if (!given) return grader::Unexpected{Outcome(cudaErrorInvalidValue, "the parameters' address is null")};
  switch (given->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& kernel = given->kernel;
      const cudaKernelNodeParams same{kernel.func,           kernel.gridDim,      kernel.blockDim,
                                      kernel.sharedMemBytes, kernel.kernelParams, kernel.extra};
      return any_work(work_from(runtime, &same));
    }
    case cudaGraphNodeTypeMemcpy:
      return any_work(copy_3d(&given->memcpy.copyParams));
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& fill = given->memset;
      const cudaMemsetParams same{fill.dst,         fill.pitch, fill.value,
                                  fill.elementSize, fill.width, fill.height};
      return any_work(work_from(&same));
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams same{given->host.fn, given->host.userData};
      return any_work(work_from(&same));
    }
    case cudaGraphNodeTypeGraph:
      return any_work(work_from(given->graph.graph));
    case cudaGraphNodeTypeEmpty:
      return Work(EmptyWork{});
    case cudaGraphNodeTypeWaitEvent:
      return Work(WaitWork{given->eventWait.event});
    case cudaGraphNodeTypeEventRecord:
      return Work(RecordWork{given->eventRecord.event});
    default:
      runtime.report_unsupported(("a graph node of type " + std::to_string(given->type)).c_str());
      return grader::Unexpected{Outcome(cudaErrorNotSupported)};
  }
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

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* src,
                                                 size_t count, size_t offset, cudaMemcpyKind kind) {
  return api_call("cudaGraphMemcpyNodeSetParamsToSymbol", CallKind::host, [&](Runtime& runtime) {
    return set_work(runtime, node, copy_to_symbol(runtime, symbol, src, count, offset, kind));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst, const void* symbol,
                                                   size_t count, size_t offset, cudaMemcpyKind kind) {
  return api_call("cudaGraphMemcpyNodeSetParamsFromSymbol", CallKind::host, [&](Runtime& runtime) {
    return set_work(runtime, node, copy_from_symbol(runtime, dst, symbol, count, offset, kind));
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

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return api_call("cudaGraphEventRecordNodeGetEvent", CallKind::host,
                  [&](Runtime&) { return get_event<RecordWork>(node, event_out); });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return api_call("cudaGraphEventRecordNodeSetEvent", CallKind::host,
                  [&](Runtime& runtime) { return set_work<RecordWork>(runtime, node, RecordWork{event}); });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return api_call("cudaGraphEventWaitNodeGetEvent", CallKind::host,
                  [&](Runtime&) { return get_event<WaitWork>(node, event_out); });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return api_call("cudaGraphEventWaitNodeSetEvent", CallKind::host,
                  [&](Runtime& runtime) { return set_work<WaitWork>(runtime, node, WaitWork{event}); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* nodeParams) {
  return api_call("cudaGraphNodeSetParams", CallKind::host,
                  [&](Runtime& runtime) { return set_work(runtime, node, work_from(runtime, nodeParams)); });
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

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void* symbol, const void* src, size_t count,
                                                     size_t offset, cudaMemcpyKind kind) {
  return api_call("cudaGraphExecMemcpyNodeSetParamsToSymbol", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, hGraphExec, node, copy_to_symbol(runtime, symbol, src, count, offset, kind));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                       void* dst, const void* symbol, size_t count,
                                                       size_t offset, cudaMemcpyKind kind) {
  return api_call("cudaGraphExecMemcpyNodeSetParamsFromSymbol", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, hGraphExec, node, copy_from_symbol(runtime, dst, symbol, count, offset, kind));
  });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 cudaEvent_t event) {
  return api_call("cudaGraphExecEventRecordNodeSetEvent", CallKind::host, [&](Runtime& runtime) {
    return set_step<RecordWork>(runtime, hGraphExec, hNode, RecordWork{event});
  });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                               cudaEvent_t event) {
  return api_call("cudaGraphExecEventWaitNodeSetEvent", CallKind::host, [&](Runtime& runtime) {
    return set_step<WaitWork>(runtime, hGraphExec, hNode, WaitWork{event});
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
  return api_call("cudaGraphExecChildGraphNodeSetParams", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, hGraphExec, node, work_from(childGraph));
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* nodeParams) {
  return api_call("cudaGraphExecNodeSetParams", CallKind::host, [&](Runtime& runtime) {
    return set_step(runtime, graphExec, node, work_from(runtime, nodeParams));
  });
}
}
