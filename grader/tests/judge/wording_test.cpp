#include "judge/wording.hpp"

#include "catch.hpp"

namespace wording_test {

namespace {

using grader::cleaned;
using grader::Diagnostic;
using grader::kernel_name;
using grader::SourceText;

TEST_CASE("kernels are shown by the name in the source") {
  CHECK(kernel_name("_Z12tiled_kernelPKfS0_Pfiii") == "tiled_kernel");
  CHECK(kernel_name("_ZN12_GLOBAL__N_112naive_matmulEPKfS1_Pfiii") == "naive_matmul");
  CHECK(kernel_name("_ZL6hiddenv") == "hidden");
  CHECK(kernel_name("_Z5scaleIfEvPT_") == "scale");
  CHECK(kernel_name("_Z5byval6Params") == "byval");
  CHECK(kernel_name("_ZL5byval6ParamsPKN2ns5OtherE") == "byval");
  CHECK(kernel_name("_ZN2ns5byvalE6Params") == "byval");
  CHECK(kernel_name("plain_c_name") == "plain_c_name");
}

TEST_CASE("variables of a kernel are shown without the kernel's name") {
  CHECK(kernel_name("_ZZ12tiled_kernelPKfS0_PfiiiE6tile_M") == "tile_M");
  CHECK(kernel_name("_ZZ5scaleIfEvPT_E4EDGE_0") == "EDGE");
  CHECK(kernel_name("_ZZ") == "_ZZ");
  CHECK(kernel_name("_ZZE") == "_ZZE");
  CHECK(kernel_name("E") == "E");
}

TEST_CASE("a name that only looks mangled is shown unchanged") {
  CHECK(kernel_name("_Z999short") == "_Z999short");
  CHECK(kernel_name("_Z99999999999999999999999x") == "_Z99999999999999999999999x");
  CHECK(kernel_name("_Z") == "_Z");
  CHECK(kernel_name("") == "");
}

TEST_CASE("untrusted text is shortened and stripped of control characters") {
  CHECK(cleaned("a\x1b[31mb\nc") == "a [31mb c");
  CHECK(cleaned(std::string(200, 'x')) == std::string(200, 'x'));
  CHECK(cleaned(std::string(201, 'x')) == std::string(200, 'x') + "…");
  CHECK(cleaned(std::string(199, 'x') + "ää") == std::string(199, 'x') + "…");
  CHECK(cleaned(std::string(300, '\x80')) == "…");
}

TEST_CASE("a line of the student's file is quoted, a line of another file is only named") {
  const SourceText source{"tiled_matmul.cu", {"first", "second"}};
  Diagnostic own, other, beyond, unknown;
  locate(own, "/box/src/tiled_matmul.cu", 2, source);
  CHECK(own.where == grader::SourceLocation{"tiled_matmul.cu", 2});
  CHECK(own.source_line == "second");
  locate(other, "/usr/include/math.h", 2, source);
  CHECK(other.where->file == "math.h");
  CHECK(other.source_line.empty());
  locate(beyond, "tiled_matmul.cu", 3, source);
  CHECK(beyond.source_line.empty());
  locate(unknown, "tiled_matmul.cu", 0, source);
  CHECK_FALSE(unknown.where);
}

TEST_CASE("CUDA errors are shown by name and number") {
  CHECK(grader::error_name(9) == "cudaErrorInvalidConfiguration (9)");
  CHECK(grader::error_name(12345) == "CUDA error 12345");
}

}  // namespace

}  // namespace wording_test
