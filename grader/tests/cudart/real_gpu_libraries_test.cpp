// Calls of libraries that need a real GPU are reported; programs without such calls are not.
#include "vgpu/cudart/client/core/real_gpu_libraries.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include "catch.hpp"
#include "cudart/run_command.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace real_gpu_libraries_test {

using testing::contains;
using namespace vgpu::cudart;

TEST_CASE("functions of libraries that need a real GPU are known by their names") {
  CHECK(client::real_gpu_library_of("cublasCreate_v2") == "cuBLAS");
  CHECK(client::real_gpu_library_of("cusparseCreate") == "cuSPARSE");
  CHECK(client::real_gpu_library_of("cudaMalloc") == "");
  CHECK(client::real_gpu_library_of("cub") == "");
  CHECK(client::real_gpu_library_of("") == "");
  CHECK(client::real_gpu_calls().empty());  // of this test
}

TEST_CASE("a program that calls such a library is warned once, at its first call of CUDA") {
  int sockets[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
  testing::RunningCommand running({LIBRARY_PROGRAM}, sockets[1]);
  ::close(sockets[1]);
  vgpu::Device device(vgpu::lecture_profile());
  serve(sockets[0], device);
  ::close(sockets[0]);
  const auto finished = running.wait();
  CHECK(finished.status == 0);
  CHECK(finished.output ==
        "warpgrade: the program calls cuBLAS (cublasCreate_v2, …), which needs a real GPU: these calls fail "
        "on the virtual GPU, and results that depend on them are wrong\n");
}

}  // namespace real_gpu_libraries_test
