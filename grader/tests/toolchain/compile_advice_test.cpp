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
           {"expected a declaration", "extraneous closing brace ('}')", "remove the }"},
           {"this declaration has no storage class or type specifier",
            "C++ requires a type specifier for all declarations", "ends that function too early"},
           {"expected a \"]\"", "expected ']'", "t[rows][columns]"},
           {"expected a \">>>\"", "expected '>>>'", "kernel<<<blocks, threads>>>"},
           {"no operator \"<<\" matches these operands",
            "invalid operands to binary expression ('void (const float *, int)' and 'const dim3')",
            "three brackets"},
           {"no operator \">>\" matches these operands",
            "invalid operands to binary expression ('const dim3' and 'int')", "three brackets"},
           {"no instance of overloaded function \"atomicAdd\" matches the argument list",
            "no matching function for call to 'atomicAdd'", "atomicAdd(&count, 1)"},
           {"no instance of function template \"reduce_kernel\" matches the argument list",
            "no instance of function template", "name the template's arguments"},
           {"class \"uint3\" has no member \"w\"", "no member named 'w' in '__cuda_builtin_threadIdx_t'",
            ".x, .y and .z"},
           {"no suitable conversion function from \"const uint3\" to \"const int\" exists",
            "no viable conversion from 'const __cuda_builtin_threadIdx_t' to 'const int'", ".x, .y and .z"},
           {"a static \"__shared__\" variable declaration is not allowed inside a host function body",
            "__shared__ local variables not allowed in __host__ functions", "write __global__ before"},
           {"calling a __device__ function(\"__syncthreads\") from a __host__ function(\"k\") is not allowed",
            "call to __device__ function from __host__ function", "write __global__ before"},
           {"a __device__ function call cannot be configured", "kernel call to non-global function 'k'",
            "__global__ void"},
           {"argument of type \"int\" is incompatible with parameter of type \"float *\"",
            "cannot initialize a parameter of type 'float *' with an lvalue of type 'const float *'",
            "number, order and types"},
           {"a value of type \"const float *\" cannot be used to initialize an entity of type \"float *\"",
            "cannot initialize a variable of type 'float *' with an lvalue of type 'const float *'",
            "declare the pointer as const"},
           {"expression must have pointer-to-object type but it has type \"float\"",
            "subscripted value is not an array, pointer, or vector", "x[row * columns + column]"},
           {"initializer not allowed for __shared__ variable",
            "initialization is not supported for __shared__ variables", "without a value"},
           {"no instance of overloaded function \"std::min\" matches the argument list",
            "no matching function for call to 'min'", "the same type"},
           {"more than one instance of overloaded function \"min\" matches the argument list:",
            "call to 'min' is ambiguous", "the same type"},
           {"no operator \"*\" matches these operands",
            "invalid operands to binary expression ('const __cuda_builtin_blockIdx_t' and 'int')", ".x, .y"},
           {"incomplete type \"float []\" is not allowed",
            "definition of variable with array type needs an explicit size or an initializer",
            "extern __shared__"},
           {"unterminated comment", "unterminated /* comment", "*/"},
           {"missing terminating > character", "missing terminating '\"' character", "close what this line"},
           {"expression must have integral or unscoped enum type",
            "invalid operands to binary expression ('float' and 'int')", "are integers"},
           {"const variable \"c_weights\" requires an initializer",
            "default initialization of an object of const type 'const float[9]'", "__constant__"},
           {"identifier \"__syncthread\" is undefined", "use of undeclared identifier 'cudaMemCpy'",
            "did you mean"},
       }) {
    INFO(row.nvcc);
    CHECK_THAT(compile_advice(row.nvcc), contains(row.advice));
    CHECK_THAT(compile_advice(row.clang), contains(row.advice));
  }
  CHECK_THAT(compile_advice("identifier \"blockdim\" is undefined"), contains("did you mean blockDim?"));
  CHECK_THAT(compile_advice("identifier \"blockSize\" is undefined"), !contains("did you mean"));
  CHECK_THAT(compile_advice("use of undeclared identifier 'threadId'; did you mean 'threadIdx'?"),
             !contains("did you mean"));
  CHECK_THAT(compile_advice("unterminated conditional directive"), !contains("comment"));
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
