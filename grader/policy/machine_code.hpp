// Instructions with which machine code enters the operating system by itself, without a library function.
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

/// The first one in compiled x86-64 code, decoded from its start, instruction after instruction, as it would
/// run. Code that jumps into the middle of an instruction is not seen. Throws std::bad_alloc only.
std::optional<SystemCall> find_system_call(std::span<const std::byte> code);

}  // namespace grader::policy
