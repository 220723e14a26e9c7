// printf on the device: formats one thread's output. The format string and the arguments are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace vgpu::exec {

struct PrintArguments {
  /// Copies bytes of the argument buffer; false if they are outside.
  std::function<bool(std::uint64_t offset, void* to, std::size_t size)> read;
  /// The zero-terminated text at a device address.
  std::function<std::string(std::uint64_t address)> text;
};

struct PrintResult {
  std::string text;
  int conversions = 0;  ///< number of consumed arguments, the result of device printf
};

/// Formats like C's printf, for the conversions that CUDA supports; %n and unknown conversions are printed
/// unchanged.
PrintResult print_format(const std::string& format, const PrintArguments& arguments);

}  // namespace vgpu::exec
