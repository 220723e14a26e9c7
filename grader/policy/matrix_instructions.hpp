// Finds instructions of tensor cores in the PTX that the compiler generated. It contains what the compiler
// kept after macros, templates and unused functions are gone, and inline assembly as the submission wrote
// it. Pure. Covered by tests/policy/matrix_instructions_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace grader::policy {

struct MatrixInstruction {
  std::string opcode;  ///< "wmma.mma"
  int line = 0;        ///< in the submission, of the call if a header contains the instruction; 0: unknown
};

/// The first product of matrices, or load or store of its operands: mma, wmma, wgmma, tcgen05. ldmatrix,
/// stmatrix and movmatrix only move data, and are counted. `source_name` is the submission's file name in
/// line records.
std::optional<MatrixInstruction> find_matrix_instruction(std::string_view ptx, std::string_view source_name);

}  // namespace grader::policy
