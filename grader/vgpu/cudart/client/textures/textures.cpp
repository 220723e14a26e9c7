// Texture objects: checks the program's descriptions by the rules of the CUDA Runtime API manual
// (cudaCreateTextureObject) and converts them for the device.

#include <algorithm>

#include "vgpu/cudart/client/core/device_properties.hpp"
#include "vgpu/cudart/client/core/device_table.hpp"
#include "vgpu/cudart/client/memory/arrays.hpp"
#include "vgpu/cudart/client/memory/device_memory.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {
namespace {

using texture::Texture;

struct TextureDescriptions {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
};

DeviceTable<cudaTextureObject_t, TextureDescriptions>& texture_objects() {
  static auto& all = *new DeviceTable<cudaTextureObject_t,
                                      TextureDescriptions>;  // never destroyed, see Runtime::instance()
  return all;
}

Outcome invalid_texture() {
  return {cudaErrorInvalidValue, "the texture object does not exist or was destroyed"};
}

Outcome refuse_texture(Runtime& runtime, const char* what) {
  runtime.report_unsupported((std::string("cudaCreateTextureObject with ") + what).c_str());
  return cudaErrorNotSupported;
}

grader::Unexpected<Outcome> wrong(const char* why, cudaError_t error = cudaErrorInvalidValue) {
  return grader::Unexpected{Outcome(error, why)};
}

/// Whether the value from the program is an enumerator. Enumerators start at 0.
template <class Enum>
bool is_enumerator(Enum value, Enum last) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

OrOutcome<Texture> with_channels(Texture texture, const cudaChannelFormatDesc& channels) {
  if (channel_count(channels) == 0)
    return wrong("texels have 1, 2 or 4 channels of 8, 16 or 32 bits each",
                 cudaErrorInvalidChannelDescriptor);
  set_channels(texture, channels);
  return texture;
}

OrOutcome<Texture> of_array(cudaArray_t handle) {
  const Array* array = find_array(handle);
  if (!array) return grader::Unexpected{invalid_array()};
  return texels_of(*array);
}

OrOutcome<Texture> of_linear(const cudaResourceDesc& given) {
  const auto& linear = given.res.linear;
  Texture texture{.address = address_of(linear.devPtr), .resource = texture::Resource::linear};
  if (texture.address % kTextureAlignment != 0) return wrong("the memory is not aligned to 512 bytes");
  auto known = with_channels(texture, linear.desc);
  if (!known) return known;
  known->extent[0] = extent_of(linear.sizeInBytes / known->texel_bytes());
  known->pitch = linear.sizeInBytes;
  return known;
}

OrOutcome<Texture> of_pitched(const cudaResourceDesc& given) {
  const auto& pitched = given.res.pitch2D;
  Texture texture{.address = address_of(pitched.devPtr), .pitch = pitched.pitchInBytes};
  if (texture.address % kTextureAlignment != 0) return wrong("the memory is not aligned to 512 bytes");
  if (texture.pitch % kTexturePitchAlignment != 0) return wrong("the pitch is not a multiple of 32 bytes");
  texture.extent = {extent_of(pitched.width), extent_of(pitched.height), 1};
  texture.dimensions = 2;
  texture.resource = texture::Resource::pitched;
  return with_channels(texture, pitched.desc);
}

OrOutcome<Texture> of_resource(Runtime& runtime, const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return of_array(resource.res.array.array);
    case cudaResourceTypeLinear:
      return of_linear(resource);
    case cudaResourceTypePitch2D:
      return of_pitched(resource);
    case cudaResourceTypeMipmappedArray:
      return grader::Unexpected{refuse_texture(runtime, "a mipmapped array")};
  }
  return wrong("unknown resource type");
}

/// Sets how the texture is read. Fetches from linear memory use only the number of the texel, so the other
/// modes have no effect.
Outcome set_modes(Runtime& runtime, Texture& texture, const cudaTextureDesc& given) {
  if (given.sRGB != 0) return refuse_texture(runtime, "sRGB conversion");
  if (!is_enumerator(given.readMode, cudaReadModeNormalizedFloat) ||
      !is_enumerator(given.filterMode, cudaFilterModeLinear))
    return {cudaErrorInvalidValue, "no such read or filter mode"};
  texture.read_mode = static_cast<texture::ReadMode>(given.readMode);
  const bool is_float = texture.kind == texture::ChannelKind::floating;
  if (is_float) texture.read_mode = texture::ReadMode::element;
  if (texture.read_mode == texture::ReadMode::normalised && texture.channel_bytes == 4)
    return {cudaErrorInvalidNormSetting, "integers of 32 bits cannot be read as normalised floats"};
  if (texture.resource == texture::Resource::linear) return {};
  texture.filter = static_cast<texture::Filter>(given.filterMode);
  if (texture.filter == texture::Filter::linear && !texture.gives_floats())
    return {cudaErrorInvalidFilterSetting,
            "only floats can be filtered: read the integers with cudaReadModeNormalizedFloat"};
  if (given.normalizedCoords != 0) texture.coordinates = texture::Coordinates::normalised;
  for (std::size_t axis = 0; axis < texture::kMaxDimensions; ++axis) {
    if (!is_enumerator(given.addressMode[axis], cudaAddressModeBorder))
      return {cudaErrorInvalidValue, "no such address mode"};
    texture.address_modes[axis] = static_cast<texture::AddressMode>(given.addressMode[axis]);
  }
  std::copy(std::begin(given.borderColor), std::end(given.borderColor), texture.border.begin());
  return {};
}

Outcome create_texture(Runtime& runtime, cudaTextureObject_t* result, const cudaResourceDesc* resource,
                       const cudaTextureDesc* given, const cudaResourceViewDesc* view) {
  if (!result || !resource || !given) return null_result();
  if (view) return refuse_texture(runtime, "a resource view");
  auto texture = of_resource(runtime, *resource);
  if (!texture) return texture.error();
  Outcome problem = set_modes(runtime, *texture, *given);
  if (problem.error) return problem;
  const auto handle = new_object(runtime, *texture, texture::ObjectKind::texture);
  if (!handle) return handle.error();
  texture_objects().add(*handle, {*resource, *given});
  *result = *handle;
  return {};
}

Outcome destroy_texture(Runtime& runtime, cudaTextureObject_t handle) {
  if (!texture_objects().find(handle)) return invalid_texture();
  Outcome outcome = free_device(runtime, pointer_to(handle));
  if (!outcome.error) texture_objects().remove(handle);
  return outcome;
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* pTexObject, const cudaResourceDesc* pResDesc,
                                    const cudaTextureDesc* pTexDesc,
                                    const cudaResourceViewDesc* pResViewDesc) {
  return api_call("cudaCreateTextureObject", CallKind::waiting, [&](Runtime& runtime) {
    return create_texture(runtime, pTexObject, pResDesc, pTexDesc, pResViewDesc);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
  return api_call("cudaDestroyTextureObject", CallKind::waiting,
                  [&](Runtime& runtime) { return destroy_texture(runtime, texObject); });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* pResDesc, cudaTextureObject_t texObject) {
  return api_call("cudaGetTextureObjectResourceDesc", CallKind::host, [&](Runtime&) {
    const TextureDescriptions* object = texture_objects().find(texObject);
    return object ? answer(pResDesc, object->resource) : invalid_texture();
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* pTexDesc, cudaTextureObject_t texObject) {
  return api_call("cudaGetTextureObjectTextureDesc", CallKind::host, [&](Runtime&) {
    const TextureDescriptions* object = texture_objects().find(texObject);
    return object ? answer(pTexDesc, object->texture) : invalid_texture();
  });
}
}
