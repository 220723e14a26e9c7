#include "report/png.hpp"

#include <stdexcept>

#include <png.h>

namespace grader {

std::string png(const Bitmap& bitmap) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = bitmap.width;
  image.height = bitmap.height;
  image.format = bitmap.channels == Bitmap::Channels::grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;

  std::string file;
  png_alloc_size_t size = 0;
  const auto write = [&](void* memory) {
    // 8-bit samples without conversion; rows without padding; no colour map.
    if (png_image_write_to_memory(&image, memory, &size, 0, bitmap.bytes.data(), 0, nullptr) == 0)
      throw std::runtime_error(std::string("cannot make a PNG picture: ") + image.message);
  };
  write(nullptr);  // only determines the size of the file
  file.resize(size);
  write(file.data());
  file.resize(size);
  return file;
}

}  // namespace grader
