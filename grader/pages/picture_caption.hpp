// What a picture shows, in words, from its file's name. Pure. Covered by pages/picture_caption_test.cpp.
#pragma once

#include <string>

namespace grader::pages {

/// "tiled_kernel-access-32.svg" → "Kernel tiled_kernel, line 32: the lanes of one warp against the memory
/// that they access". The name itself, if the kit writes no such picture.
std::string picture_caption(const std::string& file_name);

}  // namespace grader::pages
