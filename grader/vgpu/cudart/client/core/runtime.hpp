// The state of the CUDA runtime in a program: the link to the device, errors, what the program allocated.
// Every API entry point is one call of api_call(), which serialises, checks what CUDA checks first, runs the
// body and keeps the error.
//
// Launches run to their end inside the device before they return, yet a kernel's fault reaches the program as
// late as on a real GPU: at the next call that waits for the device. From then on every call returns it (a
// "sticky" error). Covered by tests/cudart/runtime_test.cpp.
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

/// What a call returns, with facts beyond the code: sizes, limits, names.
struct Outcome {
  cudaError_t error = cudaSuccess;
  std::string detail;
  bool is_sticky = false;   ///< every later call returns it, too
  bool is_mistake = false;  ///< see mistake()
  bool is_returned = true;  ///< false: of kernel<<<…>>>(…), which returns nothing

  Outcome(cudaError_t code = cudaSuccess, std::string facts = {})  // NOLINT(google-explicit-constructor)
      : error(code), detail(std::move(facts)) {}
};

/// Of arguments that no program means, not even to find something out.
inline Outcome mistake(std::string facts, cudaError_t error = cudaErrorInvalidValue) {
  Outcome outcome(error, std::move(facts));
  outcome.is_mistake = true;
  return outcome;
}

template <class T>
using OrOutcome = grader::Expected<T, Outcome>;

enum class CallKind {
  host,     ///< concerns the host's bookkeeping only
  queued,   ///< goes into a stream; skipped, as a real GPU does, behind a kernel that faulted
  waiting,  ///< waits for the device: faults and printf output arrive
};

class Runtime {
 public:
  static Runtime& instance();

  /// Replaces the device and forgets all state but the registered code. For tests; programs connect at their
  /// first call (connection.hpp).
  void connect(std::unique_ptr<Transport> transport);

  /// The program ends. Tells the device where the memory comes from that was not freed; a device of its own
  /// may have something left to say.
  void end();

  // The frame of every call, in this order, under the mutex; see api_call().
  std::mutex& mutex() { return mutex_; }
  /// nullopt: run the body. Otherwise the call is over, with this outcome.
  std::optional<Outcome> enter(CallKind kind);
  cudaError_t leave(const char* call, const Outcome& outcome);

  enum class LastError { keep, reset };
  cudaError_t last_error(LastError what);
  /// Tells the device where the memory comes from that was not freed; not of what the library at `except`
  /// allocated.
  void describe_lost_memory(const void* except);
  /// Tells the device where the work was issued that races.
  void locate_races();
  void report_unsupported(const char* call);
  /// Host code followed a device pointer at `site`, and the program is about to die. False: nobody could be
  /// told.
  bool report_crash(std::uint64_t address, const CallSite& site);
  /// In a signal's handler: host code was stopped at closed memory. Tells the device and opens the memory.
  /// False: nothing is closed there.
  bool let_through(std::uint64_t address, bool is_write, const void* instruction);
  /// For signal handlers of a program that is about to die: waits until a device of its own has said its last
  /// words, which otherwise come after the shell's prompt. Allocates nothing. No call can follow.
  void close_own_device();
  /// The program asks what an error means: it has seen it.
  void note_checked_error() {
    checked_failures_ = reported_;
    has_unreturned_ = false;
  }
  /// A kernel or a copy was done. A program that saw a call fail would have stopped before, or would have
  /// asked for the error.
  void note_work_done();

  // For bodies.
  template <class Request>
  Answered<Request> ask(const Request& request, std::span<const std::byte> bulk = {},
                        std::span<std::byte> answer_bulk = {}) {
    return cudart::ask(*transport_, request, bulk, answer_bulk);
  }
  const DeviceInfo& device_info() const { return info_; }
  Registry& registry() { return registry_; }
  /// What the program has: allocations, shared memory of the host, and variables that it copied to or asked
  /// the address of.
  MemoryMap& memory() { return memory_; }
  const MemoryMap& memory() const { return memory_; }
  /// Counts devices, a reset one anew: handles of an earlier one are stale.
  std::uint64_t device_number() const { return device_number_; }

  void forget_memory_and_handles();

  /// Runs a function of the program, which may not call CUDA. Other threads may: what the body holds of the
  /// runtime's state has to survive that.
  void call_host_function(const std::function<void()>& function);

  /// The kernel with its facts; the device holds its module.
  OrOutcome<Kernel*> kernel(const void* host_function);
  OrOutcome<MemoryRange> variable(const void* host_variable);
  /// A variable of the binary, by its mangled name.
  OrOutcome<MemoryRange> symbol(FatBinary& binary, const std::string& name);
  /// The device address of byte `offset` of the variable, of which `size_bytes` follow.
  OrOutcome<std::uint64_t> place_in_variable(const void* host_variable, std::size_t offset,
                                             std::size_t size_bytes);
  /// A kernel has faulted, and the program does not know it yet.
  bool has_waiting_fault() const { return pending_fault_.has_value(); }
  void note_launch(const std::string& kernel, const LaunchOutcome& launch);

 private:
  Runtime() = default;
  void find_device();
  void print_device_output();
  void note_failure(const char* call, const Outcome& outcome);
  void close_memory_in_use();
  void describe_memory(const KnownMemory& memory, bool is_lost);
  OrOutcome<std::uint32_t> module_of(FatBinary& binary);

  std::mutex mutex_;
  std::unique_ptr<Transport> transport_;
  bool looked_for_device_ = false;
  int own_device_ = -1;  ///< socket of a device that serves this program alone; -1: it does not
  DeviceInfo info_;
  Registry registry_;
  std::optional<Outcome> pending_fault_;               ///< of a launch, not yet told
  std::uint64_t reported_ = 0, checked_failures_ = 0;  ///< failures; the program looks at all that there are
  bool has_unreturned_ = false;  ///< one that it has not looked at, and that no call returned to it
  std::optional<cudaError_t> sticky_error_;  ///< told
  std::uint64_t pending_printf_bytes_ = 0;
  MemoryMap memory_;
  HostGuard guard_;
  bool may_be_in_use_ = false;  ///< memory of the host
  std::uint64_t device_number_ = 0;
  std::set<std::string> printed_messages_;
};

/// The error that the program gets for a refused request.
cudaError_t error_of(Status status);

template <class Request>
Outcome outcome_of(const Answered<Request>& answered) {
  return {error_of(answered.status), answered.reason};
}

inline Outcome null_result() { return {cudaErrorInvalidValue, "the result's address is null"}; }

/// *result = value, for the many calls that answer one value.
template <class T>
Outcome answer(T* result, const std::type_identity_t<T>& value) {
  if (!result) return null_result();
  *result = value;
  return {};
}

/// `body` takes the Runtime and returns an Outcome.
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
