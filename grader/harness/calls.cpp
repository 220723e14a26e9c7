#include "harness/calls.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

namespace grader::harness {
namespace {

constexpr int kPoison = 0xFF;
static_assert(sizeof(float) == sizeof(std::int32_t));

std::size_t size_bytes(const Shape& shape) { return element_count(shape) * sizeof(float); }

/// Freed by the end of the process, as everything of a program that may have crashed the device.
void* allocate(const Shape& shape, Place place) {
  void* pointer = nullptr;
  if (place == Place::device) {
    require(cudaMalloc(&pointer, size_bytes(shape)), "cudaMalloc");
  } else if (place == Place::pinned) {
    require(cudaHostAlloc(&pointer, size_bytes(shape), cudaHostAllocDefault), "cudaHostAlloc");
  } else {
    pointer = std::malloc(std::max(size_bytes(shape), std::size_t{1}));
    if (pointer == nullptr) throw RuntimeFailure("malloc: out of memory");
  }
  return pointer;
}

Arrays allocate_all(const Job& job) {
  Arrays arrays;
  for (const Input& one : job.inputs) arrays.inputs.push_back(allocate(one.shape, one.place));
  for (const OutputSpec& one : job.outputs) arrays.outputs.push_back(allocate(one.shape, one.place));
  return arrays;
}

using Words = std::vector<std::uint32_t>;

/// The input's values as the student's function takes them.
Words encoded(const Input& input) {
  Words words(input.values.size());
  std::transform(
      input.values.begin(), input.values.end(), words.begin(), [element = input.element](float value) {
        return element == Element::i32 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value))
                                       : std::bit_cast<std::uint32_t>(value);
      });
  return words;
}

/// Poison stays poison, a NaN.
std::vector<float> decoded(const Words& words, Element element) {
  std::vector<float> values(words.size());
  std::transform(words.begin(), words.end(), values.begin(), [element](std::uint32_t word) {
    const bool is_number = element == Element::i32 && word != ~std::uint32_t{0};
    return is_number ? static_cast<float>(static_cast<std::int32_t>(word)) : std::bit_cast<float>(word);
  });
  return values;
}

void write(void* to, Place place, const Words& words) {
  const std::size_t bytes = words.size() * sizeof(words.front());
  if (place != Place::device)
    std::memcpy(to, words.data(), bytes);
  else
    require(cudaMemcpy(to, words.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

void poison(void* to, const OutputSpec& output) {
  if (output.place != Place::device)
    std::memset(to, kPoison, size_bytes(output.shape));
  else
    require(cudaMemset(to, kPoison, size_bytes(output.shape)), "cudaMemset");
}

/// `inputs`: the job's, encoded.
void refresh(const Job& job, const std::vector<Words>& inputs, const Arrays& arrays) {
  for (std::size_t i = 0; i < job.inputs.size(); ++i) write(arrays.inputs[i], job.inputs[i].place, inputs[i]);
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const OutputSpec& output = job.outputs[i];
    if (output.starts_as)
      write(arrays.outputs[i], output.place, inputs.at(*output.starts_as));
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

Answer measure_calls(const Job& job, Link& link, const std::function<void(const Arrays&)>& call) {
  const Arrays arrays = allocate_all(job);
  std::vector<Words> inputs;
  std::transform(job.inputs.begin(), job.inputs.end(), std::back_inserter(inputs), encoded);
  Stopwatch stopwatch;
  Answer answer;
  std::vector<Words> taken;
  for (std::uint32_t i = 0; i < job.warm_ups + job.repeats; ++i) {
    if (job.stepped) link.wait_for_turn();
    refresh(job, inputs, arrays);
    const double seconds = stopwatch.measure(
        job.entry, [&] { call(arrays); }, [&] { taken = host_outputs(job, arrays); });
    if (i >= job.warm_ups) answer.seconds.push_back(seconds);
  }
  answer.outputs = download(job, arrays, taken);
  return answer;
}

}  // namespace

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw RuntimeFailure(std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                       ")");
}

int scalar(const Job& job, const char* name) { return static_cast<int>(job.scalars.at(name)); }

Answer run_calls(const Job& job, Link& link, const std::function<void(const Arrays&)>& call) {
  try {
    return measure_calls(job, link, call);
  } catch (const RuntimeFailure& failure) {
    return {{}, {}, failure.what()};
  }
}

}  // namespace grader::harness
