// Which headers of the compiler a source can do without.
#include "toolchain/omitted_headers.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"

namespace omitted_headers_test {

using grader::headers_to_omit;
using grader::OmittedHeaders;

namespace {

constexpr std::size_t kAll = 8;

bool omits(const std::string& source, std::string_view guard) {
  const auto guards = headers_to_omit(source).guards;
  return std::find(guards.begin(), guards.end(), guard) != guards.end();
}

}  // namespace

TEST_CASE("a kernel with plain C++ needs none of the headers that can be omitted") {
  const OmittedHeaders omitted = headers_to_omit(
      "#include <cstdio>\n#include \"lab/check.hpp\"\n#  include <math.h>\n"
      "__global__ void kernel(float* x) { x[threadIdx.x] = sqrtf(2); __syncthreads(); }\n");
  CHECK(omitted.standard_library);
  CHECK(omitted.utility);
  CHECK(omitted.guards.size() == kAll);
}

TEST_CASE("a header stays if the source contains a name that it declares") {
  CHECK_FALSE(headers_to_omit("int x = std::min(1, 2);").standard_library);
  CHECK_FALSE(headers_to_omit("using namespace std;").standard_library);
  CHECK(headers_to_omit("#include <cstdlib>\nint stdx, my_std;").standard_library);
  CHECK_FALSE(omits("x = tex2D<float>(t, 0, 0);", "__TEXTURE_INDIRECT_FUNCTIONS_H__"));
  CHECK_FALSE(omits("surf2Dwrite(v, s, 0, 0);", "__SURFACE_INDIRECT_FUNCTIONS_H__"));
  CHECK_FALSE(omits("v += __shfl_down_sync(m, v, 1);", "__SM_30_INTRINSICS_H__"));
  CHECK_FALSE(omits("__syncwarp();", "__SM_30_INTRINSICS_H__"));
  CHECK_FALSE(omits("v = __ldg(p);", "__SM_32_INTRINSICS_H__"));
  CHECK(omits("v = __ldg(p);", "__SM_30_INTRINSICS_H__"));
  CHECK_FALSE(omits("atomicAdd(sum, double(1));", "__SM_60_ATOMIC_FUNCTIONS_H__"));
  CHECK_FALSE(omits("atomicAdd_block(sum, 1);", "__SM_60_ATOMIC_FUNCTIONS_H__"));
  CHECK_FALSE(omits("_Float32 x = 1;", "_BITS_FLOATN_H"));
}

TEST_CASE("all of CUDA's headers stay if the source includes one that can need them") {
  for (const char* line : {"#include <cooperative_groups.h>", "#include <cub/cub.cuh>",
                           "#include \"helper.cuh\"", "#include HEADER", "# include <cuda/std/atomic>",
                           "/* */ #include <mma.h>", "#include_next <cuda_fp16.h>"}) {
    INFO(line);
    CHECK(headers_to_omit(std::string("int x;\n") + line + "\nint y;").guards.empty());
    CHECK_FALSE(headers_to_omit(std::string("int x;\n") + line + "\nint y;").utility);
  }
  CHECK(headers_to_omit("// This file includes nothing.\n#include <vector>\n").guards.size() == kAll);
}

}  // namespace omitted_headers_test
