// SHA-256 of bytes, and bytes as base64.
#pragma once

#include <string>
#include <string_view>

namespace grader {

std::string sha256(std::string_view bytes);      ///< 32 bytes
std::string sha256_hex(std::string_view bytes);  ///< as lower-case hexadecimal

/// On one line, with padding.
std::string base64(std::string_view bytes);

}  // namespace grader
