// Instantiates, updates and launches executable graphs.

#include <utility>

#include "vgpu/cudart/client/graphs/graph.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {
namespace {

Outcome make_executable(cudaGraphExec_t* result, cudaGraph_t handle, unsigned long long flags) {
  if (!result) return null_result();
  const auto graph = find_graph(handle);
  if (!graph) return invalid_graph();
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0)
    return {cudaErrorNotSupported, "kernels on the virtual GPU cannot launch graphs"};
  auto executable = instantiate(*graph);
  if (!executable) return {cudaErrorInvalidValue, "the graph has a cycle"};
  executable->flags = flags;
  *result = add_executable(*std::move(executable));
  return {};
}

/// Lets work in a stream follow what another has now.
void order(Runtime& runtime, std::uint32_t earlier, std::uint32_t later) {
  const std::uint64_t event = new_event_number();
  // The earlier stream can have been destroyed, after its work had ended.
  if (!runtime.ask(Mark{MarkKind::event_record, earlier, event})) return;
  runtime.ask(Mark{MarkKind::event_wait, later, event});
  runtime.ask(Mark{MarkKind::event_destroy, 0, event});
}

/// A launch follows earlier ones of the same graph (CUDA Runtime API, cudaGraphLaunch).
void order_after_last(Runtime& runtime, ExecutableGraph& graph, cudaStream_t handle) {
  const Stream* stream = find_stream(handle);
  if (stream == nullptr || stream->capture) return;
  const auto last = std::exchange(graph.last_stream, stream->number);
  if (last && *last != stream->number) order(runtime, *last, stream->number);
}

Outcome launch(Runtime& runtime, cudaGraphExec_t handle, cudaStream_t stream) {
  const auto graph = find_executable(handle);
  if (!graph) return invalid_graph();
  order_after_last(runtime, *graph, stream);
  // Launch a copy, because other threads can change the graph while one of its host functions runs.
  const auto list = std::make_shared<WorkList>(*graph->list);
  for (std::size_t i = 0; i < list->steps.size(); ++i)
    if (graph->disabled.count(graph->nodes[i]) > 0) list->steps[i] = EmptyWork{};
  return issue(runtime, stream, GraphWork{list});
}

/// The executable graph, if the node has a step in it that can be disabled; otherwise an error.
OrOutcome<std::shared_ptr<ExecutableGraph>> with_optional_node(cudaGraphExec_t handle, cudaGraphNode_t node) {
  auto graph = find_executable(handle);
  if (!graph) return grader::Unexpected{invalid_graph()};
  const Work* step = graph->step(node);
  if (!step) return grader::Unexpected{invalid_node()};
  const cudaGraphNodeType type = type_of(*step);
  if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemcpy && type != cudaGraphNodeTypeMemset)
    return grader::Unexpected{
        Outcome(cudaErrorInvalidValue, "only kernels, copies and fills can be disabled")};
  return graph;
}

Outcome update(cudaGraphExec_t handle, cudaGraph_t from, cudaGraphExecUpdateResultInfo* result) {
  const auto executable = find_executable(handle);
  const auto graph = find_graph(from);
  if (!executable || !graph) return invalid_graph();
  const auto fresh = instantiate(*graph);
  cudaGraphExecUpdateResultInfo info{};
  if (!fresh || fresh->list->steps.size() != executable->list->steps.size()) {
    info.result = cudaGraphExecUpdateErrorTopologyChanged;
  } else {
    for (std::size_t i = 0; i < fresh->list->steps.size() && info.result == cudaGraphExecUpdateSuccess; ++i) {
      if (fresh->list->steps[i].index() == executable->list->steps[i].index()) continue;
      info.result = cudaGraphExecUpdateErrorNodeTypeChanged;
      info.errorNode = fresh->nodes[i];
    }
  }
  if (result) *result = info;
  if (info.result != cudaGraphExecUpdateSuccess)
    return {cudaErrorGraphExecUpdateFailure, "the graphs have different nodes"};
  executable->list = fresh->list;
  return {};
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, unsigned long long flags) {
  return api_call("cudaGraphInstantiate", CallKind::host,
                  [&](Runtime&) { return make_executable(pGraphExec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return api_call("cudaGraphInstantiateWithFlags", CallKind::host,
                  [&](Runtime&) { return make_executable(pGraphExec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* instantiateParams) {
  return api_call("cudaGraphInstantiateWithParams", CallKind::host, [&](Runtime&) {
    if (!instantiateParams) return null_result();
    Outcome outcome = make_executable(pGraphExec, graph, instantiateParams->flags);
    instantiateParams->errNode_out = nullptr;
    instantiateParams->result_out = outcome.error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return outcome;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long* flags) {
  return api_call("cudaGraphExecGetFlags", CallKind::host, [&](Runtime&) {
    const auto graph = find_executable(graphExec);
    return graph ? answer(flags, graph->flags) : invalid_graph();
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return api_call("cudaGraphExecDestroy", CallKind::host,
                  [&](Runtime&) { return remove_executable(graphExec) ? Outcome() : invalid_graph(); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int isEnabled) {
  return api_call("cudaGraphNodeSetEnabled", CallKind::host, [&](Runtime&) {
    const auto graph = with_optional_node(hGraphExec, hNode);
    if (!graph) return graph.error();
    if (isEnabled != 0)
      (*graph)->disabled.erase(hNode);
    else
      (*graph)->disabled.insert(hNode);
    return Outcome();
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int* isEnabled) {
  return api_call("cudaGraphNodeGetEnabled", CallKind::host, [&](Runtime&) {
    const auto graph = with_optional_node(hGraphExec, hNode);
    return graph ? answer(isEnabled, (*graph)->disabled.count(hNode) == 0) : graph.error();
  });
}

/// Does nothing: the device needs no upload before a graph's first launch.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api_call("cudaGraphUpload", CallKind::queued, [&](Runtime&) {
    if (!find_stream(stream)) return invalid_stream();
    return find_executable(graphExec) ? Outcome() : invalid_graph();
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api_call("cudaGraphLaunch", CallKind::queued,
                  [&](Runtime& runtime) { return launch(runtime, graphExec, stream); });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo* resultInfo) {
  return api_call("cudaGraphExecUpdate", CallKind::host,
                  [&](Runtime&) { return update(hGraphExec, hGraph, resultInfo); });
}
}
