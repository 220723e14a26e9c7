#include "harness/calls.hpp"

#include <string>

namespace grader::harness {
namespace {

constexpr int kPoison = 0xFF;

std::size_t size_bytes(const Shape& shape) { return element_count(shape) * sizeof(float); }

float* allocate(const Shape& shape) {
  void* pointer = nullptr;
  require(cudaMalloc(&pointer, size_bytes(shape)), "cudaMalloc");
  return static_cast<float*>(pointer);
}

/// Freed by the end of the process, as everything of a program that may have crashed the device.
DeviceArrays allocate_all(const Job& job) {
  DeviceArrays arrays;
  for (const Array& one : job.inputs) arrays.inputs.push_back(allocate(one.shape));
  for (const OutputSpec& one : job.outputs) arrays.outputs.push_back(allocate(one.shape));
  return arrays;
}

void refresh(const Job& job, const DeviceArrays& arrays) {
  for (std::size_t i = 0; i < job.inputs.size(); ++i)
    require(cudaMemcpy(arrays.inputs[i], job.inputs[i].values.data(), size_bytes(job.inputs[i].shape),
                       cudaMemcpyHostToDevice),
            "cudaMemcpy to the device");
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    require(cudaMemset(arrays.outputs[i], kPoison, size_bytes(job.outputs[i].shape)), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

std::vector<Array> download(const Job& job, const DeviceArrays& arrays) {
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const OutputSpec& spec = job.outputs[i];
    outputs.push_back({spec.name, spec.shape, std::vector<float>(element_count(spec.shape))});
    require(cudaMemcpy(outputs.back().values.data(), arrays.outputs[i], size_bytes(spec.shape),
                       cudaMemcpyDeviceToHost),
            "cudaMemcpy from the device");
  }
  return outputs;
}

class Stopwatch {
 public:
  Stopwatch() {
    require(cudaEventCreate(&start_), "cudaEventCreate");
    require(cudaEventCreate(&stop_), "cudaEventCreate");
  }

  /// Seconds of device time from before to after the call.
  double measure(const std::string& entry, const std::function<void()>& call) {
    require(cudaEventRecord(start_, nullptr), "cudaEventRecord");
    call();
    require(cudaEventRecord(stop_, nullptr), ("cudaEventRecord after " + entry).c_str());
    // What the student's code did not look at: a launch that failed, a kernel that did.
    require(cudaGetLastError(), ("a launch in " + entry).c_str());
    require(cudaDeviceSynchronize(), ("cudaDeviceSynchronize after " + entry).c_str());
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

Answer measure_calls(const Job& job, Link& link, const std::function<void(const DeviceArrays&)>& call) {
  const DeviceArrays arrays = allocate_all(job);
  Stopwatch stopwatch;
  Answer answer;
  for (std::uint32_t i = 0; i < job.warm_ups + job.repeats; ++i) {
    if (job.stepped) link.wait_for_turn();
    refresh(job, arrays);
    const double seconds = stopwatch.measure(job.entry, [&] { call(arrays); });
    if (i >= job.warm_ups) answer.seconds.push_back(seconds);
  }
  answer.outputs = download(job, arrays);
  return answer;
}

}  // namespace

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw RuntimeFailure(std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                       ")");
}

Answer run_calls(const Job& job, Link& link, const std::function<void(const DeviceArrays&)>& call) {
  try {
    return measure_calls(job, link, call);
  } catch (const RuntimeFailure& failure) {
    return {{}, {}, failure.what()};
  }
}

}  // namespace grader::harness
