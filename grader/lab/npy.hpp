// The .npy format of NumPy, version 1.0, restricted to little-endian float32 in C order
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Reading is strict: it refuses
// everything that write_npy() would not write, so an array has exactly one file form and its SHA-256
// identifies it.
#pragma once

#include <string>
#include <string_view>

#include "base/array.hpp"
#include "base/expected.hpp"

namespace grader {

/// The file's bytes: magic, header padded to a multiple of 64 bytes, values.
std::string write_npy(const Array& array);

/// The error is one sentence about the bytes ("has 12 bytes of values when shape (2, 3) needs 24"). The
/// returned array has no name.
Expected<Array, std::string> read_npy(std::string_view bytes);

}  // namespace grader
