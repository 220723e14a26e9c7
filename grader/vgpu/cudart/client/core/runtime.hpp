// The state of the CUDA runtime in a program: the connection to the device, errors, and allocations. Every
// API entry point is one call of api_call(), which serialises calls, makes the checks that CUDA makes first,
// runs the body and stores the error.
//
// A launch returns after the kernel has run. However, the program gets a kernel's fault as late as on a real
// GPU: from the next call that waits for the device. From then on, every call returns the error (a "sticky"
// error). Covered by tests/cudart/runtime_test.cpp.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <type_traits>

#include "base/expected.hpp"
#include "vgpu/cudart/client/core/api.hpp"
#include "vgpu/cudart/client/kernels/registry.hpp"
#include "vgpu/cudart/client/memory/host_guard.hpp"
#include "vgpu/cudart/client/memory/memory_map.hpp"
#include "vgpu/cudart/protocol/transport.hpp"

namespace vgpu::cudart::client {

/// The result of a call: the error code, and details such as sizes, limits and names.
struct Outcome {
  cudaError_t error = cudaSuccess;
  std::string detail;
  bool is_sticky = false;   ///< every later call returns the error, too
  bool is_mistake = false;  ///< see mistake()
  bool is_returned = true;  ///< false for kernel<<<…>>>(…), which returns nothing

  Outcome(cudaError_t code = cudaSuccess, std::string facts = {})  // NOLINT(google-explicit-constructor)
      : error(code), detail(std::move(facts)) {}
};

/// The outcome for arguments that are always a mistake: no program passes them on purpose, not even to query
/// something.
inline Outcome mistake(std::string facts, cudaError_t error = cudaErrorInvalidValue) {
  Outcome outcome(error, std::move(facts));
  outcome.is_mistake = true;
  return outcome;
}

template <class T>
using OrOutcome = grader::Expected<T, Outcome>;

enum class CallKind {
  host,     ///< changes only the state of the runtime on the host
  queued,   ///< issues work to a stream; skipped after a kernel that faulted, as on a real GPU
  waiting,  ///< waits for the device: the program gets faults and printf output
  polling,  ///< like waiting, but often called in a loop: a query that does not touch the program's memory
};

class Runtime {
 public:
  static Runtime& instance();

  /// Replaces the device and resets all state except for the registered code. For tests; programs connect at
  /// their first call (connection.hpp).
  void connect(std::unique_ptr<Transport> transport);

  /// Called when the program ends. Reports memory that is not freed, and waits for the report of the
  /// program's own device. If that device died, the program's exit status is kLostDeviceStatus.
  void end();

  // The steps of every call, in this order, while api_call() holds the mutex.
  std::mutex& mutex() { return mutex_; }
  /// Returns nullopt if the call's body can run, otherwise the outcome of the call.
  std::optional<Outcome> enter(CallKind kind);
  cudaError_t leave(const char* call, const Outcome& outcome);
  /// The program is about to free this memory. After a kernel error, the call itself fails.
  void note_attempted_free(const void* memory);

  enum class LastError { keep, reset };
  cudaError_t last_error(LastError what);
  /// Reports to the device where the program allocated memory that is not freed. Skips memory that the
  /// library at `except` allocated.
  void describe_lost_memory(const void* except);
  /// Reports to the device how many objects the program has not destroyed.
  void report_live_objects();
  /// Reports to the device the places of the calls that its report names.
  void locate_calls();
  void report_unsupported(const char* call);
  /// Reports that host code dereferenced a device pointer at `site`, which ends the program. Returns false if
  /// the device cannot receive the report.
  bool report_crash(std::uint64_t address, const CallSite& site);
  /// For signal handlers, if host code accessed closed memory: reports the access to the device and opens the
  /// memory. Returns false if no memory is closed there.
  bool open_after_access(std::uint64_t address, bool is_write, const void* instruction);
  /// For signal handlers of a program that is about to end: waits until the program's own device has printed
  /// its report. Otherwise the report would follow the shell's prompt. Allocates nothing. The runtime accepts
  /// no calls after this one.
  void close_own_device();
  /// The program requests the name or text of an error, so it has checked its errors.
  void note_checked_error() {
    checked_failures_ = reported_failures_;
    has_unreturned_ = false;
  }
  /// Called after a kernel or a copy. If there are unchecked failures, the program ignored them: a program
  /// that checks would have stopped, or requested the error.
  void note_work_done();

  // For the bodies of calls.
  template <class Request>
  Answered<Request> ask(const Request& request, std::span<const std::byte> bulk = {},
                        std::span<std::byte> answer_bulk = {}) {
    auto answered = cudart::ask(*transport_, request, bulk, answer_bulk);
    if (answered.status == Status::disconnected) note_lost_device();
    if (answered.in_use.has_changed) in_use_ = std::move(answered.in_use);
    return answered;
  }
  const DeviceInfo& device_info() const { return info_; }
  Registry& registry() { return registry_; }
  /// All memory of the program that CUDA knows: allocations, shared host memory, and variables that the
  /// program has used through the API.
  MemoryMap& memory() { return memory_; }
  const MemoryMap& memory() const { return memory_; }
  /// Counts the devices of the program. A reset counts as a new device. Handles of earlier devices are stale.
  std::uint64_t device_number() const { return device_number_; }

  void forget_memory_and_handles();

  /// Runs a function of the program, which must not call CUDA. Other threads can call CUDA meanwhile and
  /// change the runtime's state, so references to the state can become invalid. Memory in use is closed to
  /// the function, too.
  void call_host_function(const std::function<void()>& function);
  /// Runs `action` in a thread of the runtime's own, which holds the mutex, while the program is in no call.
  void between_calls(const std::function<void()>& action);
  /// The number of calls that the program has made.
  std::uint64_t calls() const { return calls_; }

  /// Finds a kernel. Loads its module and gets its facts if necessary.
  OrOutcome<Kernel*> kernel(const void* host_function);
  OrOutcome<MemoryRange> variable(const void* host_variable);
  /// The memory of a variable of the binary, by its mangled name.
  OrOutcome<MemoryRange> symbol(FatBinary& binary, const std::string& name);
  /// The device address of byte `offset` of the variable. At least `size_bytes` follow.
  OrOutcome<std::uint64_t> place_in_variable(const void* host_variable, std::size_t offset,
                                             std::size_t size_bytes);
  /// A kernel has faulted, and no call has returned the error yet.
  bool has_pending_fault() const { return pending_fault_.has_value(); }
  void note_launch(const std::string& kernel, const LaunchOutcome& launch);

 private:
  Runtime() = default;
  void find_device();
  /// The device's process has ended, or its answers make no sense: all further calls fail.
  void note_lost_device();
  void print_device_output();
  void note_failure(const char* call, const Outcome& outcome);
  void close_memory_in_use();
  void describe_memory(const KnownMemory& memory, bool is_lost);
  OrOutcome<std::uint32_t> module_of(FatBinary& binary);

  std::mutex mutex_;
  std::unique_ptr<Transport> transport_;
  bool has_searched_device_ = false;
  int own_device_ = -1;  ///< socket of the program's own device; -1 if it has none
  bool has_lost_device_ = false;
  DeviceInfo info_;
  Registry registry_;
  std::optional<Outcome> pending_fault_;  ///< of a launch, not returned to the program yet
  std::uint64_t reported_failures_ = 0, checked_failures_ = 0;  ///< numbers of failures
  bool has_unreturned_ = false;  ///< a failure that the program has not checked and that no call returned
  std::optional<cudaError_t> sticky_error_;  ///< returned to the program
  std::uint64_t pending_printf_bytes_ = 0;
  MemoryMap memory_;
  HostGuard guard_;
  std::uint64_t calls_ = 0;
  bool is_polling_ = false;                  ///< the current call is CallKind::polling
  std::set<std::uint64_t> attempted_frees_;  ///< memory that the program freed after a kernel error
  MemoryInUse in_use_;                       ///< the latest that the device has sent
  std::uint64_t device_number_ = 0;
  std::set<std::string> printed_messages_;
};

/// The error that a call returns for a refused request.
cudaError_t error_of(Status status);

template <class Request>
Outcome outcome_of(const Answered<Request>& answered) {
  Outcome outcome{error_of(answered.status), answered.reason};
  outcome.is_sticky = answered.status == Status::device_failed;
  return outcome;
}

inline Outcome null_result() { return {cudaErrorInvalidValue, "the result's address is null"}; }

/// Assigns *result = value, for calls that return one value.
template <class T>
Outcome answer(T* result, const std::type_identity_t<T>& value) {
  if (!result) return null_result();
  *result = value;
  return {};
}

/// Runs the body of an API function. `body` takes the Runtime and returns an Outcome.
template <class Body>
cudaError_t api_call(const char* name, CallKind kind, Body body) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  if (const auto over = runtime.enter(kind)) return runtime.leave(name, *over);
  return runtime.leave(name, body(runtime));
}

inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
inline void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace vgpu::cudart::client
