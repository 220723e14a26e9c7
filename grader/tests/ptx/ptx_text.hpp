// Short ways to parse text in tests.
#pragma once

#include <string>
#include <string_view>

#include "catch.hpp"
#include "vgpu/ptx/module.hpp"

namespace testing {

inline vgpu::ptx::Module parsed(std::string_view text) {
  auto module = vgpu::ptx::parse(text);
  if (!module) FAIL("line " << module.error().ptx_line << ": " << module.error().what);
  return *std::move(module);
}

inline vgpu::ptx::ParseError parse_error(std::string_view text) {
  const auto module = vgpu::ptx::parse(text);
  if (module) FAIL("the text parses:\n" << text);
  return module.error();
}

/// A module with text outside functions, which starts in line 4.
inline std::string module_text(std::string_view contents) {
  return ".version 7.5\n.target sm_80\n.address_size 64\n" + std::string(contents);
}

/// A module of one kernel whose body starts in line 5. It has registers %p, %r, %rd, %f and the
/// parameter `in`.
inline std::string kernel_text(std::string_view body) {
  return module_text(
      ".entry kernel(.param .u64 in) {.reg .pred %p<9>;.reg .b32 %r<9>;.reg .b64 %rd<9>;.reg .f32 %f<9>;\n" +
      std::string(body) + "\n}\n");
}

inline vgpu::ptx::Function kernel(std::string_view body) { return parsed(kernel_text(body)).functions.at(0); }

}  // namespace testing
