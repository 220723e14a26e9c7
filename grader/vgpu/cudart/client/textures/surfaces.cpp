// Surface objects: like texture objects, but for arrays only, and without read modes.

#include "vgpu/cudart/client/core/device_table.hpp"
#include "vgpu/cudart/client/memory/arrays.hpp"
#include "vgpu/cudart/client/memory/device_memory.hpp"

namespace vgpu::cudart::client {
namespace {

DeviceTable<cudaSurfaceObject_t, cudaResourceDesc>& surface_objects() {
  static auto& all = *new DeviceTable<cudaSurfaceObject_t, cudaResourceDesc>;  // never destroyed: other
                                                                               // destructors can still use it
  return all;
}

Outcome invalid_surface() {
  return {cudaErrorInvalidValue, "the surface object does not exist or was destroyed"};
}

Outcome create_surface(Runtime& runtime, cudaSurfaceObject_t* result, const cudaResourceDesc* resource) {
  if (!result || !resource) return null_result();
  if (resource->resType != cudaResourceTypeArray)
    return {cudaErrorInvalidChannelDescriptor, "a surface object needs an array: use cudaResourceTypeArray"};
  const Array* array = find_array(resource->res.array.array);
  if (!array) return invalid_array();
  if ((array->flags & cudaArraySurfaceLoadStore) == 0)
    return {cudaErrorInvalidValue, "the array was made without cudaArraySurfaceLoadStore"};
  const auto handle = new_object(runtime, texels_of(*array), texture::ObjectKind::surface);
  if (!handle) return handle.error();
  surface_objects().add(*handle, *resource);
  *result = *handle;
  return {};
}

Outcome destroy_surface(Runtime& runtime, cudaSurfaceObject_t handle) {
  if (!surface_objects().find(handle)) return invalid_surface();
  Outcome outcome = free_device(runtime, pointer_to(handle));
  if (!outcome.error) surface_objects().remove(handle);
  return outcome;
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject, const cudaResourceDesc* pResDesc) {
  return api_call("cudaCreateSurfaceObject", CallKind::waiting,
                  [&](Runtime& runtime) { return create_surface(runtime, pSurfObject, pResDesc); });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
  return api_call("cudaDestroySurfaceObject", CallKind::waiting,
                  [&](Runtime& runtime) { return destroy_surface(runtime, surfObject); });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* pResDesc, cudaSurfaceObject_t surfObject) {
  return api_call("cudaGetSurfaceObjectResourceDesc", CallKind::host, [&](Runtime&) {
    const cudaResourceDesc* resource = surface_objects().find(surfObject);
    return resource ? answer(pResDesc, *resource) : invalid_surface();
  });
}
}
