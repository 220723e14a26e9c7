#include "harness/calls.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "harness/elements.hpp"
#include "harness/guarded_memory.hpp"

namespace grader::harness {
namespace {

constexpr int kPoison = 0xFF;

std::size_t size_bytes(const Shape& shape) { return element_count(shape) * sizeof(float); }

/// Freed by the end of the process, as everything of a program that may have crashed the device.
Arrays allocate_all(const Job& job, GuardedMemory& memory) {
  Arrays arrays;
  for (const Input& one : job.inputs)
    arrays.inputs.push_back(memory.allocate(one.name, size_bytes(one.shape), one.place));
  for (const OutputSpec& one : job.outputs)
    arrays.outputs.push_back(memory.allocate(one.name, size_bytes(one.shape), one.place));
  return arrays;
}

void write(void* to, Place place, const Input& from) {
  const auto words = encoded(from.values, from.element);
  if (place != Place::device)
    std::memcpy(to, words.data(), size_bytes(from.shape));
  else
    require(cudaMemcpy(to, words.data(), size_bytes(from.shape), cudaMemcpyHostToDevice),
            "cudaMemcpy to the device");
}

void poison(void* to, const OutputSpec& output) {
  if (output.place != Place::device)
    std::memset(to, kPoison, size_bytes(output.shape));
  else
    require(cudaMemset(to, kPoison, size_bytes(output.shape)), "cudaMemset");
}

void refresh(const Job& job, const Arrays& arrays) {
  for (std::size_t i = 0; i < job.inputs.size(); ++i)
    write(arrays.inputs[i], job.inputs[i].place, job.inputs[i]);
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const OutputSpec& output = job.outputs[i];
    if (output.starts_as)
      write(arrays.outputs[i], output.place, job.inputs.at(*output.starts_as));
    else
      poison(arrays.outputs[i], output);
  }
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// What outputs in host memory hold now, before anybody waits for the device: the function has returned, so
/// they must be complete. Empty for outputs in device memory.
std::vector<Words> host_outputs(const Job& job, const Arrays& arrays) {
  std::vector<Words> outputs(job.outputs.size());
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    if (job.outputs[i].place == Place::device) continue;
    outputs[i].resize(element_count(job.outputs[i].shape));
    std::memcpy(outputs[i].data(), arrays.outputs[i], size_bytes(job.outputs[i].shape));
  }
  return outputs;
}

/// `taken`: host_outputs().
std::vector<Array> download(const Job& job, const Arrays& arrays, const std::vector<Words>& taken) {
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const OutputSpec& spec = job.outputs[i];
    Words words = taken[i];
    words.resize(element_count(spec.shape));
    if (spec.place == Place::device)
      require(cudaMemcpy(words.data(), arrays.outputs[i], size_bytes(spec.shape), cudaMemcpyDeviceToHost),
              "cudaMemcpy from the device");
    outputs.push_back({spec.name, spec.shape, decoded(words, spec.element)});
  }
  return outputs;
}

class Stopwatch {
 public:
  Stopwatch() {
    require(cudaEventCreate(&start_), "cudaEventCreate");
    require(cudaEventCreate(&stop_), "cudaEventCreate");
  }

  /// Seconds of device time from before to after the call. `after_call` comes before anybody waits for the
  /// device.
  double measure(const std::string& entry, const std::function<void()>& call,
                 const std::function<void()>& after_call) {
    require(cudaEventRecord(start_, nullptr), "cudaEventRecord");
    call();
    require(cudaEventRecord(stop_, nullptr), ("cudaEventRecord after " + entry).c_str());
    after_call();
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

/// Nothing of them stays in freed memory either (wiping_delete.cpp).
void forget_inputs(Job& job) {
  for (Input& one : job.inputs) std::exchange(one.values, {});
}

Answer measure_calls(Job& job, Link& link, const std::function<void(const Arrays&)>& call) {
  GuardedMemory memory;
  const Arrays arrays = allocate_all(job, memory);
  Stopwatch stopwatch;
  Answer answer;
  std::vector<Words> taken;
  for (std::uint32_t i = 0; i < job.warm_ups + job.repeats; ++i) {
    if (job.stepped) link.wait_for_turn();
    refresh(job, arrays);
    if (i + 1 == job.warm_ups + job.repeats) forget_inputs(job);
    const double seconds = stopwatch.measure(
        job.entry, [&] { call(arrays); }, [&] { taken = host_outputs(job, arrays); });
    if (i >= job.warm_ups) answer.seconds.push_back(seconds);
  }
  answer.outputs = download(job, arrays, taken);
  answer.overrun = memory.overrun();
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    answer.addresses.push_back(
        job.outputs[i].place == Place::device ? reinterpret_cast<std::uintptr_t>(arrays.outputs[i]) : 0);
  return answer;
}

}  // namespace

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw RuntimeFailure(std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                       ")");
}

int scalar(const Job& job, const char* name) { return static_cast<int>(job.scalars.at(name)); }

Answer run_calls(Job& job, Link& link, const std::function<void(const Arrays&)>& call) {
  try {
    return measure_calls(job, link, call);
  } catch (const RuntimeFailure& failure) {
    return {.problem = failure.what()};
  }
}

}  // namespace grader::harness
