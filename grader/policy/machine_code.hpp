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

/// The first such instruction in compiled x86-64 code. The code is decoded from its start, one instruction
/// after the other; then from each place in the middle of an instruction that the code jumps to, whose
/// address it computes from its own, or that is one of `entries` (to which data or other code refers).
/// Therefore bytes inside an operand count only if the code visibly uses their address. Jumps to addresses
/// that are computed while the program runs are not followed. Throws only std::bad_alloc.
std::optional<SystemCall> find_system_call(std::span<const std::byte> code,
                                           std::span<const std::uint64_t> entries = {});

}  // namespace grader::policy
