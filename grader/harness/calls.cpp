#include "harness/calls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include <unistd.h>

#include "harness/cold_cache.hpp"
#include "harness/elements.hpp"
#include "harness/guarded_memory.hpp"
#include "harness/host_copies.hpp"

#ifdef WARPGRADE_VIRTUAL_HARNESS
#include "vgpu/cudart/client/core/end_report.hpp"
#endif

namespace grader::harness {
namespace {

using Word = Words::value_type;

#ifdef WARPGRADE_VIRTUAL_HARNESS
constexpr bool kGraderReadsDevice = true;
#else
constexpr bool kGraderReadsDevice = false;
#endif

std::size_t size_bytes(const Shape& shape) { return element_count(shape) * sizeof(float); }

/// `call`: a job or an earlier call. Freed by the end of the process, like all device memory here, unless the
/// process gets another job: the program can have crashed the device.
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
    copy_on_host(to, from, bytes);
  else
    require(cudaMemcpy(to, from, bytes, kind), "cudaMemcpy of an input");
}

/// The values of an input. The input's array is written from them before each call.
class Master {
 public:
  /// The values are kept in device memory for device arrays that are written repeatedly: a copy on the device
  /// takes microseconds, and host memory then has no copy of the values.
  Master(Words words, bool on_device, GuardedMemory& memory) : host_(std::move(words)), count_(host_.size()) {
    if (!on_device) return;
    device_ = memory.allocate_own(count_ * sizeof(Word));
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

/// Where the values of an input are kept after a call whose arrays the next call uses again.
class Witness {
 public:
  Witness(const void* input, std::size_t count, Place place, GuardedMemory& memory)
      : input_(input), count_(count), place_(place) {
    if (place == Place::device && count > 0) device_ = memory.allocate_own(count * sizeof(Word));
  }

  void take() {
    if (device_ != nullptr) return copy(device_, input_, count_, cudaMemcpyDeviceToDevice);
    host_.resize(count_);
    copy(host_.data(), input_, count_, cudaMemcpyHostToHost);
  }

  const void* values() const { return place_ == Place::device ? device_ : host_.data(); }

 private:
  const void* input_;
  std::size_t count_;
  Place place_;
  Words host_;
  void* device_ = nullptr;  ///< freed by the end of the process
};

/// `values`: of an input, in the memory of its place.
InputAfter input_after(const void* values, std::size_t count, Place place) {
  InputAfter after;
  if (place == Place::device) after.address = reinterpret_cast<std::uintptr_t>(values);
  if (place == Place::device && kGraderReadsDevice) return after;
  after.words.resize(count);
  copy(after.words.data(), values, count,
       place == Place::device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  return after;
}

/// Whether the array in the memory of `place` holds the values of the input, rotated to the left by
/// `rotation`.
bool keeps(const void* array, Place place, const Input& input, std::uint64_t rotation) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const std::size_t count = input.values.size(), first = count == 0 ? 0 : rotation % count;
  Words piece;
  for (std::size_t done = 0; done < count; done += piece.size()) {
    const std::size_t from = (first + done) % count;
    piece.resize(std::min({kPiece, count - done, count - from}));
    copy(piece.data(), static_cast<const Word*>(array) + done, piece.size(),
         place == Place::device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
    for (std::size_t i = 0; i < piece.size(); ++i)
      if (piece[i] != word_of(input.values[from + i], input.element)) return false;
  }
  return true;
}

void poison(void* to, const OutputSpec& output) {
  const std::size_t bytes = size_bytes(output.shape);
  if (output.place != Place::device) return fill_unwritten_on_host(to, bytes);
#ifdef WARPGRADE_VIRTUAL_HARNESS
  warpgradeForgetContents(to, bytes);
#else
  constexpr int kNan = 0xFF;  // quicker than a copy of the words that host memory gets
  require(cudaMemset(to, kNan, bytes), "cudaMemset");
#endif
}

/// Sets the stack below the caller to zero: it holds parts of the inputs, which then neither a program nor
/// the padding of a structure that it passes to a kernel contains.
[[gnu::noinline]] void clear_stack() {
  constexpr std::size_t kBytes = std::size_t{256} << 10U;
  std::array<std::byte, kBytes> below;
  std::memset(below.data(), 0, below.size());
  asm volatile(""
               :
               : "r"(below.data())
               : "memory");  // without a reader, the compiler would leave out memset()
}

/// The arguments of one call, which can be prepared repeatedly.
class Arguments {
 public:
  /// `arrays`: of the call's sizes.
  template <class Call>
  Arguments(const Call& call, Arrays arrays, bool is_repeated, GuardedMemory& memory)
      : arrays_(std::move(arrays)), outputs_(call.outputs) {
    arrays_.scalars = &call.scalars;
    for (const Input& one : call.inputs) {
      const bool on_device = one.place == Place::device || starts_on_device(call, inputs_.size());
      masters_.emplace_back(encoded(one.values, one.element), is_repeated && on_device, memory);
      inputs_.push_back({element_count(one.shape), one.place, on_device && one.place != Place::device});
    }
  }

  /// Makes room for the values of the inputs after the call.
  void make_witnesses(GuardedMemory& memory) {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      witnesses_.emplace_back(arrays_.inputs[i], inputs_[i].count, inputs_[i].place, memory);
  }

  void take_witnesses() {
    for (Witness& one : witnesses_) one.take();
  }

  /// The values of the inputs after the call: those that take_witnesses() took, if it did.
  void append_inputs(std::vector<InputAfter>& all) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const void* values = witnesses_.empty() ? arrays_.inputs[i] : witnesses_[i].values();
      all.push_back(input_after(values, inputs_[i].count, inputs_[i].place));
    }
  }

  /// Writes the inputs, rotated to the left by `rotation`, and poisons the outputs.
  void prepare(std::uint64_t rotation) {
    for (std::size_t i = 0; i < masters_.size(); ++i)
      if (!inputs_[i].is_only_start) masters_[i].write(arrays_.inputs[i], inputs_[i].place, rotation);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const OutputSpec& output = outputs_[i];
      if (output.starts_as)
        masters_.at(*output.starts_as).write(arrays_.outputs[i], output.place, rotation);
      else
        poison(arrays_.outputs[i], output);
    }
  }

  /// The inputs after a call that had them rotated by `rotation`: only of those that have changed, the words.
  /// Most have not, and a measurement would wait for the messages.
  void append_changed(const Job& job, std::uint64_t rotation, std::vector<InputAfter>& all) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto& [count, place, is_only_start] = inputs_[i];
      const bool is_kept = is_only_start || keeps(arrays_.inputs[i], place, job.inputs[i], rotation);
      all.push_back(is_kept ? InputAfter{} : input_after(arrays_.inputs[i], count, place));
    }
  }

  /// They cannot be prepared again.
  void forget_inputs() { masters_.clear(); }

  const Arrays& arrays() const { return arrays_; }

 private:
  struct InputPlace {
    std::size_t count = 0;
    Place place{};
    bool is_only_start = false;  ///< the function gets its values only as the start of an output
  };

  /// Whether an output on the device starts with the values of the input, in a job that takes turns: a copy
  /// from the host before each call would take most of the measurement's time.
  static bool starts_on_device(const EarlierCall& /*call*/, std::size_t /*input*/) { return false; }
  static bool starts_on_device(const Job& job, std::size_t input) {
    return job.takes_turns && std::any_of(job.outputs.begin(), job.outputs.end(), [&](const OutputSpec& one) {
             return one.starts_as == input && one.place == Place::device;
           });
  }

  Arrays arrays_;
  std::vector<OutputSpec> outputs_;
  std::vector<Master> masters_;
  std::vector<InputPlace> inputs_;
  std::vector<Witness> witnesses_;
};

/// Reports to the device that a call begins, so that the grader sees which calls launched kernels and copied.
void begin_call() {
#ifdef WARPGRADE_VIRTUAL_HARNESS
  warpgradeBeginCall();
#endif
}

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
  Calls(const Functions& functions, Job& job, const std::function<void(const Arrays&)>& call)
      : job_(job), call_(call) {
    Arrays arrays = allocate_all(job, memory_);
    std::vector<Arrays> of_earlier;
    if (!job.takes_turns)
      for (const EarlierCall& one : job.earlier)
        of_earlier.push_back(shares_arrays(one, job) ? arrays : allocate_all(one, memory_));
    const bool is_repeated = is_written_repeatedly(job);
    for (std::size_t i = 0; i < of_earlier.size(); ++i) {
      const bool shares = shares_arrays(job.earlier[i], job);
      of_earlier[i].address = functions.at(function_of(job.earlier[i], job));
      calls_.push_back({Arguments(job.earlier[i], std::move(of_earlier[i]), shares, memory_), shares,
                        has_checked_results(job.earlier[i])});
      if (shares) calls_.back().arguments.make_witnesses(memory_);
    }
    arrays.address = functions.at(job.entry);
    calls_.push_back({Arguments(job, arrays, is_repeated, memory_), true, true});
  }

  /// Writes the inputs of all calls; those of calls that share arrays, only of the first.
  void prepare(std::uint64_t rotation) {
    bool is_shared_written = false;
    rotation_ = rotation;
    for (Call& one : calls_)
      if (!one.shares_arrays || !std::exchange(is_shared_written, true)) one.arguments.prepare(rotation);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  /// Deletes the host's copies of the inputs: the values of an array in device memory are then nowhere in
  /// host memory, not even in freed memory (wiping_delete.cpp). Arrays that are written again keep theirs, on
  /// the device. The calls cannot be prepared again.
  void forget_inputs() {
    for (Call& one : calls_)
      if (!one.shares_arrays || !is_written_repeatedly(job_)) one.arguments.forget_inputs();
    for (Input& one : job_.inputs) std::exchange(one.values, {});
    for (EarlierCall& one : job_.earlier)
      for (Input& input : one.inputs) std::exchange(input.values, {});
  }

  /// Returns seconds; the device has finished.
  double call() {
    return measured_s(
        job_.entry, [&] { call_all(); }, [&] { use_outputs(calls_.back()); });
  }

  Answer answer(double seconds) const {
    Answer answer;
    auto [outputs, addresses] = outputs_of(calls_.back());
    answer.outputs = std::move(outputs);
    answer.addresses = std::move(addresses);
    for (std::size_t i = 0; i + 1 < calls_.size(); ++i)
      if (calls_[i].has_checked_results) answer.earlier.push_back(outputs_of(calls_[i]));
    answer.seconds = seconds;
    answer.overrun = memory_.overrun();
    if (job_.takes_turns && !kGraderReadsDevice)
      calls_.back().arguments.append_changed(job_, rotation_, answer.inputs);
    else
      for (const Call& one : calls_) one.arguments.append_inputs(answer.inputs);
    return answer;
  }

  /// No call or answer is possible afterwards.
  void free_memory() { memory_.free(); }

  /// The outputs of the last call.
  std::vector<Array> outputs() const { return outputs_of(calls_.back()).outputs; }

 private:
  struct Call {
    Arguments arguments;
    bool shares_arrays = false;  ///< those of the last call
    bool has_checked_results = false;
    std::vector<Words> taken = {};  ///< outputs in host memory; empty for those on the device
  };

  /// Of a call with checked results, which has the sizes of the job.
  CallOutputs outputs_of(const Call& call) const {
    CallOutputs outputs;
    for (std::size_t i = 0; i < job_.outputs.size(); ++i) {
      const OutputSpec& spec = job_.outputs[i];
      const void* output = call.arguments.arrays().outputs[i];
      Words downloaded;
      if (spec.place == Place::device) {
        downloaded.resize(element_count(spec.shape));
        require(cudaMemcpy(downloaded.data(), output, size_bytes(spec.shape), cudaMemcpyDeviceToHost),
                "cudaMemcpy from the device");
      }
      const bool is_on_device = spec.place == Place::device;
      const Words& words = is_on_device ? downloaded : call.taken[i];
      outputs.outputs.push_back({spec.name, spec.shape, decoded(words, spec.element)});
      outputs.addresses.push_back(is_on_device ? reinterpret_cast<std::uintptr_t>(output) : 0);
    }
    return outputs;
  }

  /// The caller does not wait between calls, unless it writes the next call's inputs to the same arrays.
  void call_all() {
    Call* previous = nullptr;
    for (Call& one : calls_) {
      if (one.shares_arrays && previous != nullptr) write_again(previous->arguments, one.arguments);
      if (one.shares_arrays) previous = &one;
      if (kGraderReadsDevice) clear_stack();  // on a real GPU, it would take a part of the call's time
      if (calls_.size() > 1) begin_call();
      if (one.arguments.arrays().address != nullptr) call_(one.arguments.arrays());
      if (one.has_checked_results && &one != &calls_.back()) use_outputs(one);
    }
  }

  void write_again(Arguments& earlier, Arguments& later) {
    const std::string after = " after an earlier call of " + job_.entry;
    require(cudaDeviceSynchronize(), ("cudaDeviceSynchronize" + after).c_str());
    earlier.take_witnesses();
    later.prepare(0);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  /// Uses the outputs before the harness waits for the device: the function has returned, so outputs in host
  /// memory must be complete, and those in device memory must be for work in the default stream.
  void use_outputs(Call& call) {
    call.taken.resize(job_.outputs.size());  // their memory is used again: new pages would take time
    for (std::size_t i = 0; i < job_.outputs.size(); ++i) {
      const void* output = call.arguments.arrays().outputs[i];
      const std::size_t bytes = size_bytes(job_.outputs[i].shape);
      if (job_.outputs[i].place == Place::device) {
        read_as_caller(output, bytes);
        continue;
      }
      call.taken[i].resize(element_count(job_.outputs[i].shape));
      copy_on_host(call.taken[i].data(), output, bytes);
    }
  }

  Job& job_;
  const std::function<void(const Arrays&)>& call_;
  GuardedMemory memory_;
  std::vector<Call> calls_;     ///< the earlier ones, then the last one
  std::uint64_t rotation_ = 0;  ///< of the inputs of the last call
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
      case Request::Kind::leave:
        link.send(Left{});
        ::_exit(0);
    }
  }
}

}  // namespace

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw RuntimeFailure(std::string(call) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                       ")");
}

Answer run_calls(const Functions& functions, Job& job, Link& link,
                 const std::function<void(const Arrays&)>& call) {
  try {
    Calls calls(functions, job, call);
    Answer answer = job.takes_turns ? take_turns(calls, link) : call_once(calls);
    if (!job.is_last) calls.free_memory();
    return answer;
  } catch (const RuntimeFailure& failure) {
    return {.problem = failure.what()};
  }
}

}  // namespace grader::harness
