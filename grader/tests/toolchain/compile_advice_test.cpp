// The messages are those of nvcc 13.0 and clang 14 for the mistakes of beginners.
#include "toolchain/compile_advice.hpp"

#include "catch.hpp"
#include "toolchain/front_end.hpp"

namespace compile_advice_test {

using namespace grader;
using testing::contains;

TEST_CASE("beginners' mistakes have advice of their own with both compilers") {
  struct Row {
    const char* nvcc;
    const char* clang;
    const char* advice;
  };
  for (const Row& row : {
           Row{"expected a \";\"", "expected ';' at end of declaration", "semicolon"},
           {"expected a \"}\"", "expected '}'", "close each {"},
           {"expected a \")\"", "expected ')'", "close each ("},
           {"identifier \"blockdim\" is undefined", "use of undeclared identifier 'blockdim'", "spelling"},
           {"no instance of overloaded function \"cudaMalloc\" matches the argument list",
            "no matching function for call to 'cudaMalloc'", "cudaMalloc(&d_x, bytes)"},
           {"argument of type \"const float *\" is incompatible with parameter of type \"void *\"",
            "no known conversion from 'const float *' to 'void *' for 1st argument", "must not be const"},
           {"expression must be a modifiable lvalue", "read-only variable is not assignable", "remove const"},
           {"too few arguments in function call", "too few arguments to function call, expected 4, have 3",
            "parameters"},
           {"a host function call cannot be configured", "kernel call to non-global function 'k'",
            "__global__ void"},
           {"a __global__ function must have a void return type",
            "kernel function type 'int (int)' must have void return type", "return type void"},
           {"a __global__ function call must be configured", "call to global function 'k' not configured",
            "kernel<<<blocks, threads>>>"},
           {"a variable length array cannot have static storage duration",
            "cannot use variable-length arrays in __global__ functions", "constexpr int"},
           {"calling a __host__ function(\"f(float)\") from a __global__ function(\"k\") is not allowed",
            "reference to __host__ function 'f' in __global__ function", "__device__"},
           {"identifier \"Sum::kIdentity\" is undefined in device code",
            "reference to __host__ variable 'factor' in __global__ function", "copy it to a local variable"},
           {"identifier \"concept\" is undefined", "unknown type name 'concept'", "C++17"},
           {"identifier \"co_await\" is undefined", "use of undeclared identifier 'co_await'", "C++17"},
           {"identifier \"__shfl_down\" is undefined", "use of undeclared identifier '__shfl_down'",
            "__shfl_down_sync(0xffffffff"},
           {"identifier \"__shfl_dwn_sync\" is undefined", "use of undeclared identifier '__shfl_dwn_sync'",
            "spelling"},
           {"identifier \"concepts\" is undefined", "unknown type name 'my_concept'", "spelling"},
           {"Universal character is not allowed in device entity name (\"gr\\u00f6\")",
            "'_u6211_u7684' has not been declared", "ASCII letters"},
       }) {
    INFO(row.nvcc);
    CHECK_THAT(compile_advice(row.nvcc), contains(row.advice));
    CHECK_THAT(compile_advice(row.clang), contains(row.advice));
  }
  CHECK(compile_advice("something new") == "correct the line, or the one before it");
}

TEST_CASE("the first note of clang about a rejected call becomes its cause, and can change the advice") {
  const auto errors = read_compiler_output(
      "/src/submission.cu:11:21: error: no matching function for call to 'helper'\n"
      "  if (i < n) y[i] = helper(a);\n"
      "/src/submission.cu:7:7: note: candidate function not viable: call to __host__ function from "
      "__global__ "
      "function\n"
      "float helper(float v) { return v; }\n"
      "/src/submission.cu:31:14: error: no matching function for call to 'cudaMemcpy'\n"
      "/kit/check.hpp:25:40: note: expanded from macro 'CUDA_CHECK'\n"
      "/kit/cuda.h:59:13: note: candidate function not viable: no known conversion from 'const float *' to "
      "'void *' for 1st argument; take the address of the argument with &\n"
      "/kit/cuda.h:60:13: note: candidate function not viable: requires 5 arguments\n",
      "saxpy.cu");
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].likely_cause == "call to __host__ function from __global__ function");
  CHECK_THAT(errors[0].next_step, contains("mark your own functions with __device__"));
  CHECK(errors[1].likely_cause == "no known conversion from 'const float *' to 'void *' for 1st argument");
  CHECK_THAT(errors[1].next_step, contains("must not be const"));
}

TEST_CASE("a note without an error that it belongs to is ignored") {
  const auto errors =
      read_compiler_output("a.cu:1:1: note: candidate function not viable: requires 2 arguments\n", "a.cu");
  REQUIRE(errors.size() == 1);
  CHECK(errors.front().code == "WG-C05");
  CHECK(errors.front().likely_cause.find("requires") == std::string::npos);
}

}  // namespace compile_advice_test
