// Finds instructions with which machine code calls the operating system directly, without a library function.
// Covered by tests/policy/machine_code_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace grader::policy {

struct SystemCall {
  std::uint64_t offset = 0;
  std::string instruction;  ///< "syscall"
};

/// The first such instruction in compiled x86-64 code, which is decoded from its start, one instruction after
/// the other. Instructions that are reached by a jump into the middle of another one are not found. Throws
/// only std::bad_alloc.
std::optional<SystemCall> find_system_call(std::span<const std::byte> code);

}  // namespace grader::policy
