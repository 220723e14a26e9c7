#include "harness/calls.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "harness/cold_cache.hpp"
#include "harness/elements.hpp"
#include "harness/guarded_memory.hpp"

#ifdef WARPGRADE_VIRTUAL_HARNESS
#include "vgpu/cudart/client/core/end_report.hpp"
#endif

namespace grader::harness {
namespace {

constexpr int kPoison = 0xFF;

using Word = Words::value_type;

std::size_t size_bytes(const Shape& shape) { return element_count(shape) * sizeof(float); }

/// `call`: a job or an earlier call. Freed by the end of the process, like all device memory here: the
/// program can have crashed the device.
template <class Call>
Arrays allocate_all(const Call& call, GuardedMemory& memory) {
  Arrays arrays;
  for (const Input& one : call.inputs)
    arrays.inputs.push_back(memory.allocate(one.name, size_bytes(one.shape), one.place));
  for (const OutputSpec& one : call.outputs)
    arrays.outputs.push_back(memory.allocate(one.name, size_bytes(one.shape), one.place));
  return arrays;
}

void copy(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  const std::size_t bytes = count * sizeof(Word);
  if (bytes == 0) return;
  if (kind == cudaMemcpyHostToHost)
    std::memcpy(to, from, bytes);
  else
    require(cudaMemcpy(to, from, bytes, kind), "cudaMemcpy of an input");
}

template <class Array>
bool have_equal_sizes(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Array& one, const Array& other) {
    return one.shape == other.shape && one.place == other.place;
  });
}

/// Such calls use the same arrays, like the calls of a loop: a program that recognises an array by its
/// address must not conclude that its contents are the same.
bool use_same_arrays(const EarlierCall& earlier, const Job& job) {
  return have_equal_sizes(earlier.inputs, job.inputs) && have_equal_sizes(earlier.outputs, job.outputs);
}

bool is_written_repeatedly(const Job& job) {
  return job.takes_turns || std::any_of(job.earlier.begin(), job.earlier.end(),
                                        [&](const EarlierCall& one) { return use_same_arrays(one, job); });
}

/// The values of an input. The input's array is written from them before each call.
class Master {
 public:
  /// The values are kept in device memory for device arrays that are written repeatedly: a copy on the device
  /// takes microseconds, and host memory then has no copy of the values.
  Master(Words words, bool on_device) : host_(std::move(words)), count_(host_.size()) {
    if (!on_device) return;
    require(cudaMalloc(&device_, count_ * sizeof(Word)), "cudaMalloc");
    copy(device_, host_.data(), count_, cudaMemcpyHostToDevice);
    host_ = {};
  }

  /// Writes the values rotated to the left by `rotation`, as harness::rotated() does.
  void write(void* to, Place place, std::uint64_t rotation) const {
    if (count_ == 0) return;
    const std::size_t first = rotation % count_, before_end = count_ - first;
    const Word* from = device_ != nullptr ? static_cast<const Word*>(device_) : host_.data();
    copy(to, from + first, before_end, kind(place));
    copy(static_cast<Word*>(to) + before_end, from, first, kind(place));
  }

 private:
  cudaMemcpyKind kind(Place to) const {
    if (device_ != nullptr) return to == Place::device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
    return to == Place::device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
  }

  Words host_;
  std::size_t count_;
  void* device_ = nullptr;  ///< freed by the end of the process
};

void poison(void* to, const OutputSpec& output) {
  if (output.place != Place::device)
    std::memset(to, kPoison, size_bytes(output.shape));
  else
    require(cudaMemset(to, kPoison, size_bytes(output.shape)), "cudaMemset");
}

/// The arguments of one call, which can be prepared repeatedly.
class Arguments {
 public:
  /// `arrays`: of the call's sizes.
  template <class Call>
  Arguments(const Call& call, Arrays arrays, bool is_repeated)
      : arrays_(std::move(arrays)), outputs_(call.outputs) {
    arrays_.scalars = &call.scalars;
    for (const Input& one : call.inputs) {
      masters_.emplace_back(encoded(one.values, one.element), is_repeated && one.place == Place::device);
      places_.push_back(one.place);
    }
  }

  /// Writes the inputs, rotated to the left by `rotation`, and poisons the outputs.
  void prepare(std::uint64_t rotation) {
    for (std::size_t i = 0; i < masters_.size(); ++i)
      masters_[i].write(arrays_.inputs[i], places_[i], rotation);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const OutputSpec& output = outputs_[i];
      if (output.starts_as)
        masters_.at(*output.starts_as).write(arrays_.outputs[i], output.place, rotation);
      else
        poison(arrays_.outputs[i], output);
    }
  }

  /// They cannot be prepared again.
  void forget_inputs() { masters_.clear(); }

  const Arrays& arrays() const { return arrays_; }

 private:
  Arrays arrays_;
  std::vector<OutputSpec> outputs_;
  std::vector<Master> masters_;
  std::vector<Place> places_;
};

/// The caller of the function does not wait for the device, either, before it uses the results.
void read_as_caller(const void* start, std::size_t size_bytes) {
#ifdef WARPGRADE_VIRTUAL_HARNESS
  warpgradeReadByCaller(start, size_bytes);
#else
  static_cast<void>(start), static_cast<void>(size_bytes);
#endif
}

/// Seconds of device time from before to after the call. `after_call` runs before the harness waits for the
/// device. The events are destroyed, because counters of the program include those that exist at its end.
double measured_s(const std::string& entry, const std::function<void()>& call,
                  const std::function<void()>& after_call) {
  cudaEvent_t start = nullptr, stop = nullptr;
  for (cudaEvent_t* event : {&start, &stop}) require(cudaEventCreate(event), "cudaEventCreate");
  require(cudaEventRecord(start, nullptr), "cudaEventRecord");
  call();
  require(cudaEventRecord(stop, nullptr), ("cudaEventRecord after " + entry).c_str());
  after_call();
  // Errors that the student's code did not check: of a launch, and of a kernel.
  if (const cudaError_t last = cudaGetLastError(); last != cudaErrorNotReady)  // the answer of a query
    require(last, ("a launch in " + entry).c_str());
  require(cudaDeviceSynchronize(), ("cudaDeviceSynchronize after " + entry).c_str());
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
  for (const cudaEvent_t event : {start, stop}) require(cudaEventDestroy(event), "cudaEventDestroy");
  return 1e-3 * static_cast<double>(milliseconds);
}

/// The student's function, ready for repeated calls on the same arrays.
class Calls {
 public:
  Calls(Job& job, const std::function<void(const Arrays&)>& call)
      : job_(job), call_(call), arguments_(job, allocate_all(job, memory_), is_written_repeatedly(job)) {
    if (job.takes_turns) return;
    for (const EarlierCall& one : job.earlier) {
      const bool is_same = use_same_arrays(one, job);
      earlier_.push_back(
          {Arguments(one, is_same ? arguments_.arrays() : allocate_all(one, memory_), false), is_same});
    }
  }

  void prepare(std::uint64_t rotation) {
    arguments_.prepare(rotation);
    for (Earlier& one : earlier_) one.arguments.prepare(rotation);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  /// Deletes the host's copies of the inputs: the values of an array in device memory are then nowhere in
  /// host memory, not even in freed memory (wiping_delete.cpp). Arrays that are written again keep theirs, on
  /// the device. Only one more call can follow.
  void forget_inputs() {
    if (!is_written_repeatedly(job_)) arguments_.forget_inputs();
    for (Input& one : job_.inputs) std::exchange(one.values, {});
    for (Earlier& one : earlier_) one.arguments.forget_inputs();
    for (EarlierCall& one : job_.earlier)
      for (Input& input : one.inputs) std::exchange(input.values, {});
  }

  /// Returns seconds; the device has finished.
  double call() {
    return measured_s(
        job_.entry, [&] { call_all(); }, [&] { use_outputs(); });
  }

  /// The outputs of the last call.
  Answer answer(double seconds) const {
    Answer answer;
    answer.outputs = outputs();
    answer.seconds = seconds;
    answer.overrun = memory_.overrun();
    for (std::size_t i = 0; i < job_.outputs.size(); ++i)
      answer.addresses.push_back(
          job_.outputs[i].place == Place::device ? reinterpret_cast<std::uintptr_t>(output(i)) : 0);
    return answer;
  }

  std::vector<Array> outputs() const {
    std::vector<Array> outputs;
    for (std::size_t i = 0; i < job_.outputs.size(); ++i) {
      const OutputSpec& spec = job_.outputs[i];
      Words words = taken_[i];
      words.resize(element_count(spec.shape));
      if (spec.place == Place::device)
        require(cudaMemcpy(words.data(), output(i), size_bytes(spec.shape), cudaMemcpyDeviceToHost),
                "cudaMemcpy from the device");
      outputs.push_back({spec.name, spec.shape, decoded(words, spec.element)});
    }
    return outputs;
  }

 private:
  struct Earlier {
    Arguments arguments;
    bool uses_arrays_of_last_call = false;
  };

  /// The caller does not wait between calls, unless it writes the next call's inputs to the same arrays.
  void call_all() {
    for (const Earlier& one : earlier_) {
      call_(one.arguments.arrays());
      if (one.uses_arrays_of_last_call) write_again();
    }
    call_(arguments_.arrays());
  }

  void write_again() {
    const std::string after = " after an earlier call of " + job_.entry;
    require(cudaDeviceSynchronize(), ("cudaDeviceSynchronize" + after).c_str());
    arguments_.prepare(0);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  /// Uses the outputs before the harness waits for the device: the function has returned, so outputs in host
  /// memory must be complete, and those in device memory must be for work in the default stream.
  void use_outputs() {
    taken_.assign(job_.outputs.size(), {});
    for (std::size_t i = 0; i < job_.outputs.size(); ++i) {
      const std::size_t bytes = size_bytes(job_.outputs[i].shape);
      if (job_.outputs[i].place == Place::device) {
        read_as_caller(output(i), bytes);
        continue;
      }
      taken_[i].resize(element_count(job_.outputs[i].shape));
      std::memcpy(taken_[i].data(), output(i), bytes);
    }
  }

  void* output(std::size_t i) const { return arguments_.arrays().outputs[i]; }

  Job& job_;
  const std::function<void(const Arrays&)>& call_;
  GuardedMemory memory_;
  Arguments arguments_;
  std::vector<Earlier> earlier_;
  std::vector<Words> taken_;  ///< outputs in host memory; empty for those on the device
};

Answer call_once(Calls& calls) {
  calls.prepare(0);
  calls.forget_inputs();
  return calls.answer(calls.call());
}

/// Serves the grader's requests until the grader requests the answer.
Answer take_turns(Calls& calls, Link& link) {
  ColdCache cache;
  double seconds = 0;
  link.send(Ready{});
  for (;;) {
    const Request request = link.receive_request();
    switch (request.kind) {
      case Request::Kind::prepare:
        calls.prepare(request.rotation);
        cache.flush();
        link.send(Ready{});
        break;
      case Request::Kind::call:
        seconds = calls.call();
        link.send(Called{seconds});
        break;
      case Request::Kind::show:
        link.send(Shown{calls.outputs()});
        break;
      case Request::Kind::finish:
        return calls.answer(seconds);
    }
  }
}

}  // namespace

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw RuntimeFailure(std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                       ")");
}

Answer run_calls(Job& job, Link& link, const std::function<void(const Arrays&)>& call) {
  try {
    Calls calls(job, call);
    return job.takes_turns ? take_turns(calls, link) : call_once(calls);
  } catch (const RuntimeFailure& failure) {
    return {.problem = failure.what()};
  }
}

}  // namespace grader::harness
