// User objects: resources of the program that graphs keep alive (cudaUserObject_t).

#include <climits>

#include "vgpu/cudart/client/graphs/graph.hpp"

namespace vgpu::cudart::client {
namespace {

/// The program's own references.
UserObjects& own() {
  static UserObjects& objects = *new UserObjects;  // never destroyed, see Runtime::instance()
  return objects;
}

Outcome invalid_object() {
  return {cudaErrorInvalidValue, "the user object does not exist or was destroyed"};
}
Outcome invalid_count() { return {cudaErrorInvalidValue, "the number of references is invalid"}; }

bool is_count(unsigned count) { return count > 0 && count <= INT_MAX; }

Outcome create(cudaUserObject_t* result, void* resource, cudaHostFn_t destroy, unsigned count,
               unsigned flags) {
  if (!result) return null_result();
  if (!destroy) return {cudaErrorInvalidValue, "the destructor is null"};
  if (flags != cudaUserObjectNoDestructorSync)
    return {cudaErrorInvalidValue, "the flags must be cudaUserObjectNoDestructorSync"};
  if (!is_count(count)) return invalid_count();
  static std::uintptr_t last = 0x1000;  // handles are never used twice
  *result = reinterpret_cast<cudaUserObject_t>(last += 0x10);
  own().retain(*result, std::make_shared<UserObject>(resource, destroy), count);
  return {};
}

Outcome release(UserObjects& from, cudaUserObject_t object, unsigned count) {
  if (!is_count(count)) return invalid_count();
  return from.release(object, count) ? Outcome() : invalid_object();
}

Outcome retain(cudaUserObject_t object, unsigned count) {
  auto found = own().find(object);
  if (!found) return invalid_object();
  if (!is_count(count)) return invalid_count();
  own().retain(object, std::move(found), count);
  return {};
}

Outcome retain_by_graph(cudaGraph_t handle, cudaUserObject_t object, unsigned count, unsigned flags) {
  const auto graph = find_graph(handle);
  if (!graph) return invalid_graph();
  if ((flags & ~unsigned{cudaGraphUserObjectMove}) != 0) return {cudaErrorInvalidValue, "no such flags"};
  auto found = own().find(object);
  if (!found) return invalid_object();
  if (!is_count(count)) return invalid_count();
  if (flags == cudaGraphUserObjectMove && !own().release(object, count)) return invalid_count();
  graph->objects.retain(object, std::move(found), count);
  return {};
}

}  // namespace

UserObject::~UserObject() {
  Runtime::instance().call_host_function([this] { destroy(resource); });
}

std::shared_ptr<UserObject> UserObjects::find(cudaUserObject_t handle) const {
  const auto found = held_.find(handle);
  return found == held_.end() ? nullptr : found->second.object;
}

void UserObjects::retain(cudaUserObject_t handle, std::shared_ptr<UserObject> object, unsigned count) {
  Held& held = held_[handle];
  held.object = std::move(object);
  held.count += count;
}

std::optional<std::shared_ptr<UserObject>> UserObjects::release(cudaUserObject_t handle, unsigned count) {
  const auto found = held_.find(handle);
  if (found == held_.end() || found->second.count < count) return std::nullopt;
  auto object = found->second.object;
  if ((found->second.count -= count) == 0) held_.erase(found);
  return object;
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object_out, void* ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
  return api_call("cudaUserObjectCreate", CallKind::host,
                  [&](Runtime&) { return create(object_out, ptr, destroy, initialRefcount, flags); });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  return api_call("cudaUserObjectRetain", CallKind::host, [&](Runtime&) { return retain(object, count); });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  return api_call("cudaUserObjectRelease", CallKind::host,
                  [&](Runtime&) { return release(own(), object, count); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                      unsigned int flags) {
  return api_call("cudaGraphRetainUserObject", CallKind::host,
                  [&](Runtime&) { return retain_by_graph(graph, object, count, flags); });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
  return api_call("cudaGraphReleaseUserObject", CallKind::host, [&](Runtime&) {
    const auto found = find_graph(graph);
    return found ? release(found->objects, object, count) : invalid_graph();
  });
}
}
