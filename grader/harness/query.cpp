#include "harness/query.hpp"

#include <cerrno>
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/json.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

using Json = nlohmann::ordered_json;

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  require(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

/// A GPU that has fallen off the bus or hangs in a kernel still reports its properties, so let it do some
/// work.
void let_it_work(int device) {
  void* bytes = nullptr;
  require(cudaSetDevice(device), "cudaSetDevice");
  require(cudaMalloc(&bytes, 1), "cudaMalloc");
  require(cudaMemset(bytes, 0, 1), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  require(cudaFree(bytes), "cudaFree");
}

Json describe(int device) {
  let_it_work(device);
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return {{"name", properties.name},
          {"compute_capability", 10 * properties.major + properties.minor},
          {"global_bytes", properties.totalGlobalMem},
          {"multiprocessors", properties.multiProcessorCount},
          {"clock_khz", attribute(cudaDevAttrClockRate, device)},
          {"memory_clock_khz", attribute(cudaDevAttrMemoryClockRate, device)},
          {"memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth, device)}};
}

Json describe_all() {
  int count = 0, runtime = 0, driver = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  Json devices = Json::array();
  for (int i = 0; i < count; ++i) devices.push_back(describe(i));
  return {{"devices", devices}, {"runtime_version", runtime}, {"driver_version", driver}};
}

}  // namespace

int print_devices() {
  try {
    std::puts(json_text(describe_all()).c_str());
    return 0;
  } catch (const RuntimeFailure& failure) {
    std::puts(json_text(Json{{"error", failure.what()}}).c_str());
    return 1;
  }
}

int hold_devices(int socket) {
  int count = 0;
  (void)cudaGetDeviceCount(&count);
  char ignored = 0;
  ssize_t got = 0;
  do got = ::read(socket, &ignored, 1);
  while (got > 0 || (got < 0 && errno == EINTR));
  return 0;
}

}  // namespace grader::harness
