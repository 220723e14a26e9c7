// Writes PNG files. Tested by tests/report/pictures_test.cpp, which reads them back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grader {

/// Rows from top to bottom; 8 bits per channel.
struct Bitmap {
  enum class Channels { grey = 1, rgb = 3 };
  std::uint32_t width = 0, height = 0;
  Channels channels = Channels::grey;
  std::vector<std::uint8_t> bytes;  ///< width × height × channels
};

/// The file's bytes. Throws std::runtime_error if libpng fails: no memory, or a side of length 0.
std::string png(const Bitmap& bitmap);

}  // namespace grader
