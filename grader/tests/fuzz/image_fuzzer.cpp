// libFuzzer's entry point: an image is a fat binary or PTX text. CMake's option WARPGRADE_FUZZ builds it.

#include <cstdint>

#include "load_image.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // image_size() requires 16 readable bytes.
  if (size >= 16) fuzz::load_image(std::as_bytes(std::span(data, size)));
  return 0;
}
