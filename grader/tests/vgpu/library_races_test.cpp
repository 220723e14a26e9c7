// Findings that are a library's own, and those that are the program's.
#include "catch.hpp"
#include "vgpu/facts/findings.hpp"

namespace library_races_test {

using namespace vgpu;

namespace {

constexpr const char* kLibraryKernel = "_ZN3cub17CUB_300001_SM_90022DeviceSelectSweepKernelEv";
constexpr const char* kLibraryFile = "/opt/cuda/include/cccl/cub/agent/agent_select_if.cuh";

Fault race(const char* kernel, const char* file, const char* other) {
  Fault fault;
  fault.kind = FaultKind::global_race;
  fault.kernel = kernel;
  fault.file = file;
  fault.other = OtherAccess{};
  fault.other->file = other;
  return fault;
}

}  // namespace

TEST_CASE("races between lines of CUB and Thrust, in their own kernels, are not the program's") {
  CHECK(is_of_library(race(kLibraryKernel, kLibraryFile, "/x/thrust/system/cuda/detail/core/agent.h")));
  CHECK_FALSE(is_of_library(race(kLibraryKernel, kLibraryFile, "functor.cu")));
  CHECK_FALSE(is_of_library(race(kLibraryKernel, "functor.cu", kLibraryFile)));
  CHECK_FALSE(is_of_library(race("_Z4sumsPf", kLibraryFile, kLibraryFile)));
  Fault shared = race(kLibraryKernel, kLibraryFile, kLibraryFile);
  shared.kind = FaultKind::shared_race;
  CHECK_FALSE(is_of_library(shared));
}

TEST_CASE("values that CUB and Thrust read from unwritten memory and do not use are not the program's") {
  Fault unused = race(kLibraryKernel, kLibraryFile, "");
  unused.kind = FaultKind::uninitialised_read;
  unused.other.reset();
  unused.is_harmless = true;
  CHECK(is_of_library(unused));
  Fault used = unused;
  used.is_harmless = false;
  CHECK_FALSE(is_of_library(used));
  Fault of_functor = unused;
  of_functor.file = "functor.cu";
  CHECK_FALSE(is_of_library(of_functor));
  Fault of_program = unused;
  of_program.kernel = "_Z4sumsPf";
  CHECK_FALSE(is_of_library(of_program));
}

}  // namespace library_races_test
