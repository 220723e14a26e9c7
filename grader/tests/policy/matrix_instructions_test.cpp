// PTX as nvcc 13 and clang 14 generate it. The hostile corpus covers the output of real compilers.
#include "policy/matrix_instructions.hpp"

#include "catch.hpp"

namespace matrix_instructions_test {
namespace {

using grader::policy::find_matrix_instruction;

std::string opcode_in(const std::string& code) {
  const auto found = find_matrix_instruction(".visible .entry k(){\n" + code + "\nret;\n}\n", "lab.cu");
  return found ? found->opcode : "";
}

}  // namespace

TEST_CASE("every instruction of tensor cores is found, however it is written") {
  CHECK(opcode_in("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1,%fd2},{%fd3},{%fd4},{%fd1,%fd2};") ==
        "mma.sync");
  CHECK(opcode_in("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1], %r2;") == "wmma.load");
  CHECK(opcode_in("wgmma.fence.sync.aligned;") == "wgmma.fence");
  CHECK(opcode_in("tcgen05.mma.cta_group::1.kind::tf32 [%r1], %rd1, %rd2, %r2, %p1;") == "tcgen05.mma");
  CHECK(opcode_in("{ mov.u32 %r1, 1; @%p1 mma .sp /* a */ .sync.aligned; }") == "mma.sp");
  CHECK(opcode_in("mma/**/.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1};") == "mma.sync");
}

TEST_CASE("names, comments and instructions that only move matrices are permitted") {
  CHECK(opcode_in("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];") == "");
  CHECK(opcode_in("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;") == "");
  CHECK(opcode_in("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};") == "");
  CHECK(opcode_in("// mma.sync\n/* wmma.load */ .reg .b32 mma; mov.u32 mma, 1; bra wmma; wmma: ret;") == "");
  CHECK(opcode_in(".file 1 \"/src/mma.cu\"\n.loc 1 2 3\nld.param.u32 %r1, [mma_param_0];") == "");
  CHECK_FALSE(find_matrix_instruction("", "lab.cu"));
  CHECK_FALSE(find_matrix_instruction("\x01 no PTX", "lab.cu"));
}

TEST_CASE("the line is the submission's, whether the compiler names files before or after the code") {
  const std::string code =
      ".entry k(){\n.loc 1 7 3\nadd.s32 %r1, %r1, 1;\n.loc 2 99 3, function_name $L, inlined_at 1 8 5\n"
      "wmma.mma.sync.aligned;\n.loc 1 9 1\nret;\n}\n";
  const auto after = find_matrix_instruction(
      code + ".file 1 \"/src/lab.cu\"\n.file 2 \"/usr/local/cuda/include/crt/mma.hpp\"\n", "lab.cu");
  REQUIRE(after);
  CHECK(after->line == 8);
  const auto before = find_matrix_instruction(".file 1 \"/src\" \"lab.cu\"\n" + code, "lab.cu");
  REQUIRE(before);
  CHECK(before->line == 8);
  const auto unknown = find_matrix_instruction(".file 1 \"/src/other_lab.cu\"\n" + code, "lab.cu");
  REQUIRE(unknown);
  CHECK(unknown->line == 0);
}

}  // namespace matrix_instructions_test
