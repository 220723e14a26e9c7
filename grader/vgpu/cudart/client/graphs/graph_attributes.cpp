// Attributes of kernel nodes. Only cooperative launches have an effect; the other attributes are hints, which
// the program can read back.

#include "vgpu/cudart/client/graphs/graph.hpp"

namespace vgpu::cudart::client {
namespace {

Node* find_kernel(cudaGraphNode_t handle) {
  Node* node = find_node(handle);
  return node && std::holds_alternative<KernelWork>(node->work) ? node : nullptr;
}

Outcome set(cudaGraphNode_t handle, cudaLaunchAttributeID id, const cudaLaunchAttributeValue* value) {
  Node* node = find_kernel(handle);
  if (!node) return invalid_node();
  if (!value) return {cudaErrorInvalidValue, "the value's address is null"};
  node->attributes[id] = *value;
  if (id == cudaLaunchAttributeCooperative)
    std::get<KernelWork>(node->work).cooperative = value->cooperative != 0;
  return {};
}

Outcome get(cudaGraphNode_t handle, cudaLaunchAttributeID id, cudaLaunchAttributeValue* result) {
  const Node* node = find_kernel(handle);
  if (!node) return invalid_node();
  const auto found = node->attributes.find(id);
  cudaLaunchAttributeValue value =
      found == node->attributes.end() ? cudaLaunchAttributeValue{} : found->second;
  if (id == cudaLaunchAttributeCooperative) value.cooperative = std::get<KernelWork>(node->work).cooperative;
  return answer(result, value);
}

Outcome copy(cudaGraphNode_t to, cudaGraphNode_t from) {
  Node* destination = find_kernel(to);
  const Node* source = find_kernel(from);
  if (!destination || !source) return invalid_node();
  destination->attributes = source->attributes;
  std::get<KernelWork>(destination->work).cooperative = std::get<KernelWork>(source->work).cooperative;
  return {};
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue* value) {
  return api_call("cudaGraphKernelNodeSetAttribute", CallKind::host,
                  [&](Runtime&) { return set(hNode, attr, value); });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue* value_out) {
  return api_call("cudaGraphKernelNodeGetAttribute", CallKind::host,
                  [&](Runtime&) { return get(hNode, attr, value_out); });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
  return api_call("cudaGraphKernelNodeCopyAttributes", CallKind::host,
                  [&](Runtime&) { return copy(hDst, hSrc); });
}
}
