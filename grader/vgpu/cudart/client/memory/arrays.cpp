#include "vgpu/cudart/client/memory/arrays.hpp"

#include <algorithm>

#include "vgpu/cudart/client/core/device_table.hpp"
#include "vgpu/cudart/client/memory/device_memory.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

DeviceTable<cudaArray_const_t, Array>& arrays() {
  static auto& all = *new DeviceTable<cudaArray_const_t, Array>;  // never destroyed, see Runtime::instance()
  return all;
}

// Handles are numbers that are never used twice, so stale handles are always detected.
cudaArray_t new_handle() {
  static std::uintptr_t last = 0x2000;
  return reinterpret_cast<cudaArray_t>(last += 0x10);
}

std::uint64_t rows_of_slice(const Array& array) { return std::max<std::uint64_t>(array.extent.height, 1); }
std::uint64_t slices(const Array& array) { return std::max<std::uint64_t>(array.extent.depth, 1); }

Outcome check_new(Runtime& runtime, const cudaChannelFormatDesc& channels, const cudaExtent& extent,
                  unsigned flags) {
  constexpr unsigned kKnown = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
  if ((flags & ~kKnown) != 0) {
    runtime.report_unsupported("cudaMalloc3DArray with flags for cube maps or sparse arrays");
    return cudaErrorNotSupported;
  }
  if (channel_count(channels) == 0)
    return {cudaErrorInvalidChannelDescriptor, "texels have 1, 2 or 4 channels of 8, 16 or 32 bits each"};
  // The rules of cudaMalloc3DArray (CUDA Runtime API): an extent of 0 lowers the number of dimensions, from
  // the depth down; the depth of a layered array is its number of layers.
  const bool is_layered = (flags & cudaArrayLayered) != 0;
  const bool has_gap = extent.depth != 0 && extent.height == 0 && !is_layered;
  if (extent.width == 0 || has_gap || (is_layered && extent.depth == 0))
    return {cudaErrorInvalidValue, "an extent that must be positive is 0"};
  return {};
}

Outcome create(Runtime& runtime, cudaArray_t* result, const cudaChannelFormatDesc* channels,
               const cudaExtent& extent, unsigned flags) {
  if (!result || !channels) return null_result();
  Outcome problem = check_new(runtime, *channels, extent, flags);
  if (problem.error) return problem;
  Array array{.extent = extent, .channels = *channels, .flags = flags};
  const auto row = bytes_of(Box{extent.width, texel_bytes(*channels), 1});
  const std::uint64_t width = row.value_or(0);
  array.pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  const auto bytes = bytes_of(Box{array.pitch, rows_of_slice(array), slices(array)});
  if (!row || !bytes || array.pitch < width)
    return {cudaErrorMemoryAllocation, "the array is larger than any memory"};
  void* memory = nullptr;
  Outcome outcome = allocate_device(runtime, &memory, *bytes);
  if (outcome.error) return outcome;
  array.address = address_of(memory);
  runtime.memory().describe(array.address, MemoryKind::array);
  *result = new_handle();
  arrays().add(*result, array);
  return outcome;
}

Outcome destroy(Runtime& runtime, cudaArray_t handle) {
  if (!handle) return {};
  const Array* array = find_array(handle);
  if (!array) return invalid_array();
  Outcome outcome = free_device_and_wait(runtime, pointer_to(array->address));
  if (!outcome.error) arrays().remove(handle);
  return outcome;
}

Outcome describe(cudaArray_const_t handle, cudaChannelFormatDesc* channels, cudaExtent* extent,
                 unsigned* flags) {
  const Array* array = find_array(handle);
  if (!array) return invalid_array();
  if (channels) *channels = array->channels;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return {};
}

/// A position in an array; x is in bytes.
struct ArrayPlace {
  cudaArray_const_t array;
  cudaPos position;
};

struct MemoryPlace {
  const void* memory;
  std::size_t pitch;
};

OrOutcome<Rows> rows_of(const ArrayPlace& place, const Box& box) {
  const Array* array = find_array(place.array);
  if (!array) return grader::Unexpected{invalid_array()};
  return rows_in(*array, place.position, box);
}

OrOutcome<Rows> rows_of(const MemoryPlace& place, const Box& box) {
  if (box.height > 1 && place.pitch < box.width) {
    return grader::Unexpected{Outcome(
        cudaErrorInvalidPitchValue, "rows of " + std::to_string(box.width) + " bytes, but a pitch of only " +
                                        std::to_string(place.pitch) + " bytes")};
  }
  return Rows{address_of(place.memory), place.pitch, 0};
}

/// The body of calls that copy a rectangle to or from an array. `put` issues the copy.
template <class To, class From, class Put>
Outcome copy_2d(const To& to, const From& from, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                Put put) {
  const Box box{width, height, 1};
  const auto to_rows = rows_of(to, box);
  if (!to_rows) return to_rows.error();
  const auto from_rows = rows_of(from, box);
  if (!from_rows) return from_rows.error();
  return put(CopyWork{*to_rows, *from_rows, box, kind});
}

}  // namespace

Array* find_array(cudaArray_const_t array) { return arrays().find(array); }

Outcome invalid_array() { return {cudaErrorInvalidResourceHandle, "the array does not exist or was freed"}; }

int channel_count(const cudaChannelFormatDesc& channels) {
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  const bool is_known = channels.f == cudaChannelFormatKindSigned ||
                        channels.f == cudaChannelFormatKindUnsigned ||
                        channels.f == cudaChannelFormatKindFloat;
  const bool is_size =
      bits[0] == 16 || bits[0] == 32 || (bits[0] == 8 && channels.f != cudaChannelFormatKindFloat);
  if (!is_known || !is_size) return 0;
  // One, two or four channels of the same size (CUDA Driver API, "cuArrayCreate").
  const int count = static_cast<int>(std::find(std::begin(bits), std::end(bits), 0) - std::begin(bits));
  const bool are_same = std::all_of(bits, bits + count, [&](int b) { return b == bits[0]; }) &&
                        std::all_of(bits + count, std::end(bits), [](int b) { return b == 0; });
  return are_same && count != 3 ? count : 0;
}

std::size_t texel_bytes(const cudaChannelFormatDesc& channels) {
  return static_cast<std::size_t>(channel_count(channels)) * static_cast<std::size_t>(channels.x) / 8;
}

std::uint32_t extent_of(std::size_t texels) {
  return texels <= UINT32_MAX ? static_cast<std::uint32_t>(texels) : 0;
}

void set_channels(texture::Texture& texture, const cudaChannelFormatDesc& channels) {
  texture.channels = static_cast<std::uint8_t>(channel_count(channels));
  texture.channel_bytes = static_cast<std::uint8_t>(channels.x / 8);
  texture.kind = static_cast<texture::ChannelKind>(channels.f);
}

texture::Texture texels_of(const Array& array) {
  const cudaExtent& extent = array.extent;
  // An extent of 0 means that the dimension does not exist; the depth of a layered array is its number of
  // layers (CUDA Runtime API, "cudaMalloc3DArray").
  const bool has_depth = extent.depth != 0 && !array.is_layered();
  texture::Texture texture{.address = array.address, .pitch = array.pitch};
  texture.extent = {extent_of(extent.width), extent_of(std::max<std::size_t>(extent.height, 1)),
                    has_depth ? extent_of(extent.depth) : 1};
  texture.layers = array.is_layered() ? extent_of(extent.depth) : 0;
  texture.dimensions = has_depth ? 3 : extent.height != 0 ? 2 : 1;
  set_channels(texture, array.channels);
  return texture;
}

OrOutcome<std::uint64_t> new_object(Runtime& runtime, const texture::Texture& texels,
                                    texture::ObjectKind kind) {
  const auto answered = runtime.ask(CreateTexture{texels, kind});
  if (!answered) return grader::Unexpected{outcome_of(answered)};
  const std::uint64_t handle = answered.answer.address;
  runtime.memory().add({handle, sizeof(texture::TextureObject), MemoryKind::device, 0, CallSite::here()});
  runtime.memory().describe(handle, MemoryKind::object);
  return handle;
}

OrOutcome<Rows> rows_in(const Array& array, const cudaPos& position, const Box& box) {
  const auto fits = [](std::uint64_t from, std::uint64_t size, std::uint64_t extent) {
    return from <= extent && size <= extent - from;
  };
  const std::uint64_t row = array.extent.width * texel_bytes(array.channels);
  if (!fits(position.x, box.width, row) || !fits(position.y, box.height, rows_of_slice(array)) ||
      !fits(position.z, box.depth, slices(array))) {
    return grader::Unexpected{
        Outcome(cudaErrorInvalidValue,
                "the copy extends past the end of an array of " + std::to_string(slices(array)) + " × " +
                    std::to_string(rows_of_slice(array)) + " rows of " + std::to_string(row) + " bytes")};
  }
  const Rows whole{array.address, array.pitch, rows_of_slice(array)};
  return Rows{row_address(whole, position.z, position.y) + position.x, array.pitch, whole.slice_rows};
}

}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                            size_t height, unsigned int flags) {
  return api_call("cudaMallocArray", CallKind::waiting, [&](Runtime& runtime) {
    return create(runtime, array, desc, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                              unsigned int flags) {
  return api_call("cudaMalloc3DArray", CallKind::waiting,
                  [&](Runtime& runtime) { return create(runtime, array, desc, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api_call("cudaFreeArray", CallKind::waiting,
                  [&](Runtime& runtime) { return destroy(runtime, array); });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t array) {
  return api_call("cudaArrayGetInfo", CallKind::host,
                  [&](Runtime&) { return describe(array, desc, extent, flags); });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return api_call("cudaGetChannelDesc", CallKind::host,
                  [&](Runtime&) { return desc ? describe(array, desc, nullptr, nullptr) : null_result(); });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                size_t spitch, size_t width, size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2DToArray", CallKind::waiting, [&](Runtime& runtime) {
    return copy_2d(ArrayPlace{dst, {wOffset, hOffset, 0}}, MemoryPlace{src, spitch}, width, height, kind,
                   [&](const CopyWork& work) { return issue_and_wait(runtime, work); });
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                     size_t spitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return api_call("cudaMemcpy2DToArrayAsync", CallKind::queued, [&](Runtime& runtime) {
    return copy_2d(ArrayPlace{dst, {wOffset, hOffset, 0}}, MemoryPlace{src, spitch}, width, height, kind,
                   [&](const CopyWork& work) { return issue(runtime, stream, work); });
  });
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2DFromArray", CallKind::waiting, [&](Runtime& runtime) {
    return copy_2d(MemoryPlace{dst, dpitch}, ArrayPlace{src, {wOffset, hOffset, 0}}, width, height, kind,
                   [&](const CopyWork& work) { return issue_and_wait(runtime, work); });
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                       size_t hOffset, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return api_call("cudaMemcpy2DFromArrayAsync", CallKind::queued, [&](Runtime& runtime) {
    return copy_2d(MemoryPlace{dst, dpitch}, ArrayPlace{src, {wOffset, hOffset, 0}}, width, height, kind,
                   [&](const CopyWork& work) { return issue(runtime, stream, work); });
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2DArrayToArray", CallKind::waiting, [&](Runtime& runtime) {
    return copy_2d(ArrayPlace{dst, {wOffsetDst, hOffsetDst, 0}}, ArrayPlace{src, {wOffsetSrc, hOffsetSrc, 0}},
                   width, height, kind, [&](const CopyWork& work) { return issue_and_wait(runtime, work); });
  });
}
}
