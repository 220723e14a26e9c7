// The deprecated copies that treat a two-dimensional array as one line, in which each row follows the
// previous one.

#include <algorithm>

#include "vgpu/cudart/client/memory/arrays.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

struct Line {
  cudaArray_const_t array;
  std::size_t x, y;    ///< the start; x in bytes
  const void* memory;  ///< the other side of the copy
  std::size_t size_bytes;
};

enum class Direction { to_array, from_array };

cudaMemcpy3DParms piece(const Line& line, const Array& array, std::size_t width, std::size_t rows,
                        Direction direction, cudaMemcpyKind kind) {
  const std::size_t texel = texel_bytes(array.channels);
  const cudaPos place{line.x / texel, line.y, 0};
  const cudaPitchedPtr memory{const_cast<void*>(line.memory), width, width, rows};
  cudaMemcpy3DParms copy{};
  copy.extent = {width / texel, rows, 1};
  copy.kind = kind;
  if (direction == Direction::to_array) {
    copy.dstArray = const_cast<cudaArray_t>(line.array);
    copy.dstPos = place;
    copy.srcPtr = memory;
  } else {
    copy.srcArray = const_cast<cudaArray_t>(line.array);
    copy.srcPos = place;
    copy.dstPtr = memory;
  }
  return copy;
}

/// Splits the copy into at most three pieces (the rest of a row, whole rows, the start of a row) and calls
/// `put` for each.
template <class Put>
Outcome copy_line(Line line, Direction direction, cudaMemcpyKind kind, Put put) {
  const Array* array = find_array(line.array);
  if (!array) return invalid_array();
  const std::size_t texel = texel_bytes(array->channels), row = array->extent.width * texel;
  if (line.x >= row || line.x % texel != 0 || line.size_bytes % texel != 0)
    return {cudaErrorInvalidValue,
            "the copy starts or ends inside a texel, or starts after the end of the row"};
  while (line.size_bytes > 0) {
    const bool is_whole = line.x == 0 && line.size_bytes >= row;
    const std::size_t rows = is_whole ? line.size_bytes / row : 1;
    const std::size_t width = is_whole ? row : std::min(line.size_bytes, row - line.x);
    const cudaMemcpy3DParms copy = piece(line, *array, width, rows, direction, kind);
    const auto work = copy_3d(&copy);
    if (!work) return work.error();
    Outcome outcome = put(*work);
    if (outcome.error) return outcome;
    line = {line.array, 0, line.y + rows, static_cast<const std::byte*>(line.memory) + width * rows,
            line.size_bytes - width * rows};
  }
  return {};
}

}  // namespace
}  // namespace vgpu::cudart::client

using namespace vgpu::cudart::client;

extern "C" {

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                              cudaMemcpyKind kind) {
  return api_call("cudaMemcpyToArray", CallKind::waiting, [&](Runtime& runtime) {
    return copy_line({dst, wOffset, hOffset, src, count}, Direction::to_array, kind,
                     [&](const CopyWork& work) { return issue_and_wait(runtime, work); });
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyToArrayAsync", CallKind::queued, [&](Runtime& runtime) {
    return copy_line({dst, wOffset, hOffset, src, count}, Direction::to_array, kind,
                     [&](const CopyWork& work) { return issue(runtime, stream, work); });
  });
}

cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, cudaMemcpyKind kind) {
  return api_call("cudaMemcpyFromArray", CallKind::waiting, [&](Runtime& runtime) {
    return copy_line({src, wOffset, hOffset, dst, count}, Direction::from_array, kind,
                     [&](const CopyWork& work) { return issue_and_wait(runtime, work); });
  });
}

cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                     size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyFromArrayAsync", CallKind::queued, [&](Runtime& runtime) {
    return copy_line({src, wOffset, hOffset, dst, count}, Direction::from_array, kind,
                     [&](const CopyWork& work) { return issue(runtime, stream, work); });
  });
}
}
