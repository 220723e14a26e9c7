// Assembly code as g++ 12 and clang 14 generate it. The runner's tests cover the output of real compilers.
#include "policy/inline_assembly.hpp"

#include <string>

#include "catch.hpp"

namespace inline_assembly_test {
namespace {

using grader::policy::find_inline_assembly;
using grader::policy::InlineAssembly;

const std::string kKernels =
    "\t.section .nv_fatbin, \"a\"\n.align 8\nfatbinData:\n.quad 0x00100001ba55ed50,0x0000000000000348\n"
    ".quad 0x0000004800000000, 0x5\n.text\n\n";

bool is_found(const std::string& assembly) { return find_inline_assembly(assembly, "lab.cu").has_value(); }

}  // namespace

TEST_CASE("g++'s marks show the function and the line") {
  const auto found = find_inline_assembly(
      "\t.file\t\"lab.cudafe1.cpp\"\n\t.file 2 \"/src/lab.cu\"\n_Z1fv:\n.LFB3:\n\t.loc 2 6 1\n\tret\n"
      "_Z1gv:\n#APP\n# 8 \"/src/lab.cu\" 1\n\tmfence\n# 0 \"\" 2\n#NO_APP\n\tret\n",
      "lab.cu");
  REQUIRE(found);
  CHECK(found->function == "_Z1gv");
  CHECK(found->line == 8);
}

TEST_CASE("clang's marks show the function, and its line records the line") {
  const auto found = find_inline_assembly(
      "\t.file\t\"lab.cu\"\n_Z1fv:                     # @_Z1fv\n\t.file\t0 \"/tmp\" \"lab.cu\" md5 0x0ec5\n"
      "\t.file\t3 \"/usr/include/c++/12\" \"vector\"\n\t.loc\t0 7 26 prologue_end # lab.cu:7:26\n"
      "\t.loc\t3 99 1\n\t#APP\n\tmfence\n\t#NO_APP\n\tretq\n",
      "lab.cu");
  REQUIRE(found);
  CHECK(found->function == "_Z1fv");
  CHECK(found->line == 7);
}

TEST_CASE("assembly of another file has no line") {
  const auto found =
      find_inline_assembly("f:\n#APP\n# 8 \"/usr/include/header.h\" 1\n\tnop\n#NO_APP\n", "lab.cu");
  REQUIRE(found);
  CHECK(found->line == 0);
}

TEST_CASE("assembly at file scope is found") {
  CHECK(is_found("#APP\n\tnop\n#NO_APP\n"));
  CHECK(
      is_found("   # Start of file scope inline assembly\n\tnop\n   # End of file scope inline assembly\n"));
}

TEST_CASE("code without inline assembly passes") {
  CHECK_FALSE(is_found(""));
  CHECK_FALSE(is_found("f:\n\tsyscall\n\tret\n\t.string \"#APP\"\n"));
}

TEST_CASE("a statement without instructions passes: clang marks it, g++ does not") {
  CHECK_FALSE(is_found("f:\n\t#APP\n\t#NO_APP\n\tretq\n"));
  CHECK(is_found("f:\n\t#APP\n\tnop\n\t#NO_APP\n\tretq\n"));
}

TEST_CASE("what <iostream> of libstdc++ 13 declares passes, also next to nvcc's kernels, and nothing else") {
  const std::string streams = "\t.globl _ZSt21ios_base_library_initv\n\n";
  CHECK_FALSE(is_found("#APP\n" + streams + "#NO_APP\n"));
  CHECK_FALSE(is_found("#APP\n" + streams + kKernels + "#NO_APP\n"));
  CHECK_FALSE(is_found("# Start of file scope inline assembly\n" + streams +
                       "# End of file scope inline assembly\n"));
  CHECK(is_found("#APP\n" + streams + "\tnop\n#NO_APP\n"));
  CHECK(is_found("#APP\n\t.globl _ZSt21ios_base_library_initv; nop\n#NO_APP\n"));
  CHECK(is_found("#APP\n\t.globl other\n#NO_APP\n"));
}

TEST_CASE("nvcc's kernels pass, once and alone") {
  CHECK_FALSE(is_found("#APP\n" + kKernels + "#NO_APP\n\t.text\n"));
  CHECK(is_found("#APP\n" + kKernels + "#NO_APP\n#APP\n" + kKernels + "#NO_APP\n"));
  CHECK(is_found("#APP\n\tnop\n" + kKernels + "#NO_APP\n"));
  CHECK(is_found("#APP\n" + kKernels + "\tnop\n#NO_APP\n"));
  std::string with_code = kKernels;
  with_code.insert(with_code.find(".text"), "\tsyscall\n");
  CHECK(is_found("#APP\n" + with_code + "#NO_APP\n"));
  std::string with_expression = kKernels;
  with_expression.insert(with_expression.find(".text"), ".quad 0; syscall\n");
  CHECK(is_found("#APP\n" + with_expression + "#NO_APP\n"));
}

TEST_CASE("the constants of the first function pass after nvcc's kernels, code does not") {
  const auto is_found_behind = [](const std::string& lines) {
    return is_found("#APP\n" + kKernels + lines + "#NO_APP\n_Z1fv:\n\tret\n");
  };
  const std::string strings = "\t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n";
  const std::string text = ".LC0:\n\t.string\t\"n = %d; \\\"quoted\\\"\\n\"\n";
  CHECK_FALSE(is_found_behind(strings + text + "\t.text\n"));
  CHECK_FALSE(
      is_found_behind("\t.section\t.rodata\n\t.align 32\n.LC1:\n\t.long\t-7\n\t.zero\t12\n\t.text\n"));
  CHECK_FALSE(
      is_found_behind("\t.section\t.rodata.cst16,\"aM\",@progbits,16\n\t.align 16\n.LC1:\n\t.quad\t3\n"));
  // An inline function has sections of its own.
  CHECK_FALSE(is_found_behind("\t.section\t.rodata._ZNK1E4whatEv.str1.1,\"aMS\",@progbits,1\n" + text));
  CHECK_FALSE(is_found_behind("\t.section\t.rodata._Z1fv.str1.1,\"aMSG\",@progbits,1,_Z1fv,comdat\n" + text));
  CHECK_FALSE(
      is_found_behind("\t.section\t.rodata._Z1fv,\"aG\",@progbits,_Z1fv,comdat\n.LC1:\n\t.long\t5\n"));
  CHECK(is_found_behind(
      "\t.section\t.rodata._Z1fv,\"aG\",@progbits,_Z1fv; syscall,comdat\n.LC1:\n\t.long\t5\n"));
  CHECK(is_found_behind("\t.section\t.rodata._Z1fv,\"axG\",@progbits,_Z1fv,comdat\n.LC1:\n\t.long\t5\n"));
  CHECK(is_found_behind("\t.section\t.rodata._Z1fv,\"a\",@progbits,_Z1fv,comdat\n.LC1:\n\t.long\t5\n"));
  CHECK(is_found_behind(text));  // in .text, where data are code
  CHECK(is_found_behind(strings + "\t.text\n" + text));
  CHECK(is_found_behind(strings + "\tsyscall\n"));
  CHECK(is_found_behind(strings + ".LC0:\n\t.string\t\"a\"; syscall\n"));
  CHECK(is_found_behind(strings + ".LC0:\n\t.string\t\"a\\\\\"; syscall; .string \"\"\n"));
  CHECK(is_found_behind(strings + ".LC0: syscall\n"));
  CHECK(is_found_behind(strings + "entry:\n\t.string\t\"\"\n"));
  CHECK(is_found_behind("\t.section\t.text.f,\"ax\",@progbits\n"));
  CHECK(is_found_behind("\t.section\t.rodata.f,\"ax\",@progbits\n\t.long 5\n"));
  CHECK(is_found_behind("\t.section\t.rodata,\"aM\",@progbits,1; syscall\n"));
}

TEST_CASE("marks inside of assembly do not hide the rest") {
  CHECK(is_found("f:\n#APP\n# 3 \"lab.cu\" 1\n\t\n#NO_APP\n\tsyscall\n#APP\n# 0 \"\" 2\n#NO_APP\n"));
  CHECK(is_found("#APP\n\t\n#NO_APP\n\tsyscall\n#APP\n\n#NO_APP\n"));
  CHECK(is_found("#APP\n" + kKernels + "#NO_APP\n\tsyscall\n\t#APP\n#NO_APP\n"));
  CHECK(is_found("#APP\n" + kKernels + "#NO_APP\n\tsyscall\n" + kKernels + "#NO_APP\n"));
  CHECK(is_found("#APP\n\tnever ends"));
}

}  // namespace inline_assembly_test
