#include "vgpu/cudart/client/core/runtime.hpp"

#include <cstdio>

#include <unistd.h>

#include "vgpu/cudart/client/core/connection.hpp"
#include "vgpu/cudart/client/core/real_gpu_libraries.hpp"
#include "vgpu/cudart/client/core/unsupported.hpp"
#include "vgpu/cudart/client/memory/host_faults.hpp"
#include "vgpu/cudart/protocol/socket_transport.hpp"

namespace vgpu::cudart::client {
namespace {

/// The fault of the machine or of the kit, as an exit status of warpgrade (app/exit_codes.hpp).
constexpr int kLostDeviceStatus = 3;

/// CUDA keeps the last error per host thread.
thread_local cudaError_t last_error_of_thread = cudaSuccess;
thread_local bool is_in_host_function = false;

cudaError_t error_of_fault(FaultKind kind, const std::string& detail) {
  switch (kind) {
    case FaultKind::out_of_bounds:
    case FaultKind::use_after_free:
    case FaultKind::write_to_constant:
    case FaultKind::stack_overflow:
    case FaultKind::invalid_free:
    case FaultKind::invalid_texture:
    case FaultKind::invalid_surface:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned:
      return cudaErrorMisalignedAddress;
    case FaultKind::step_limit:
    case FaultKind::barrier_deadlock:
      return cudaErrorLaunchTimeout;
    case FaultKind::unsupported:
      return cudaErrorNotSupported;
    case FaultKind::trap:
      return detail.empty() ? cudaErrorLaunchFailure : cudaErrorAssert;
    case FaultKind::divergent_barrier:
    case FaultKind::missing_lanes:
    case FaultKind::not_uniform:
    case FaultKind::invalid_call:
    case FaultKind::invalid_barrier:
      return cudaErrorLaunchFailure;
    default:  // findings do not stop a kernel
      break;
  }
  return cudaErrorLaunchFailure;
}

}  // namespace

cudaError_t error_of(Status status) {
  switch (status) {
    case Status::ok:
      return cudaSuccess;
    case Status::invalid_value:
      return cudaErrorInvalidValue;
    case Status::out_of_memory:
      return cudaErrorMemoryAllocation;
    case Status::invalid_image:
      return cudaErrorInvalidPtx;
    case Status::unknown_symbol:
      return cudaErrorInvalidDeviceFunction;
    case Status::invalid_configuration:
      return cudaErrorInvalidConfiguration;
    case Status::out_of_resources:
      return cudaErrorLaunchOutOfResources;
    case Status::cooperative_too_large:
      return cudaErrorCooperativeLaunchTooLarge;
    case Status::no_code_for_device:
      return cudaErrorNoKernelImageForDevice;
    case Status::device_failed:
      return cudaErrorECCUncorrectable;
    case Status::protocol_error:
    case Status::disconnected:
      return cudaErrorDevicesUnavailable;
  }
  return cudaErrorUnknown;
}

/// Whether the error is an expected answer: programs test for it and continue in another way.
static bool is_an_answer(cudaError_t error) {
  return error == cudaErrorMemoryAllocation || error == cudaErrorNotSupported ||
         error == cudaErrorInvalidDevice;
}

static FailureKind kind_of(const Outcome& outcome) {
  if (outcome.is_mistake) return FailureKind::mistake;
  return outcome.is_sticky || is_an_answer(outcome.error) ? FailureKind::quiet : FailureKind::problem;
}

Runtime& Runtime::instance() {
  // Never destroyed: other libraries' destructors still unregister their device code when the program ends.
  static Runtime& runtime = *new Runtime;
  return runtime;
}

void Runtime::connect(std::unique_ptr<Transport> transport) {
  transport_ = std::move(transport);
  has_searched_device_ = true;
  pending_fault_.reset();
  sticky_error_.reset();
  last_error_of_thread = cudaSuccess;
  pending_printf_bytes_ = 0;
  reported_failures_ = checked_failures_ = 0;
  has_unreturned_ = false;
  attempted_frees_.clear();
  in_use_ = {};
  forget_memory_and_handles();
  printed_messages_.clear();
  registry_.forget_device();
  if (!transport_) return;
  const auto answered = ask(Open{});
  info_ = answered.answer;
  if (!answered) transport_.reset();
}

void Runtime::forget_memory_and_handles() {
  memory_.clear();
  ++device_number_;
}

/// Programs that do not check the errors of these libraries would only show wrong results.
static void warn_of_real_gpu_libraries() {
  for (const RealGpuCall& call : real_gpu_calls())
    std::fprintf(stderr,
                 "warpgrade: the program calls %s (%s, …), which needs a real GPU: these calls fail on the "
                 "virtual GPU, and results that depend on them are wrong\n",
                 call.library.c_str(), call.function.c_str());
}

void Runtime::find_device() {
  has_searched_device_ = true;
  const Connection found = connect_to_device();
  std::string problem = found.problem;
  if (found.socket >= 0) {
    connect(std::make_unique<SocketTransport>(found.socket));
    if (transport_) {
      if (found.own_device) own_device_ = found.socket;
      handle_host_faults();
      warn_of_real_gpu_libraries();
      return;
    }
    problem = "the process at the other end is not a device of this version";
  }
  std::fprintf(stderr,
               "warpgrade: no virtual GPU is connected to this program: %s; run it with `warpgrade run`\n",
               problem.c_str());
}

void Runtime::note_lost_device() {
  if (std::exchange(has_lost_device_, true) || own_device_ < 0) return;
  std::fprintf(
      stderr,
      "warpgrade: the virtual GPU stopped unexpectedly: all further calls of CUDA functions fail, and "
      "the program ends with status %d. Results since the last successful call are not valid\n",
      kLostDeviceStatus);
}

void Runtime::end() {
  // Another thread can be in a call that never returns.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  guard_.open();
  if (transport_ && has_unreturned_) note_work_done();  // the program had no means to check the failure
  locate_calls();
  // After a kernel error, the program cannot free anything. It has not freed all of its memory if it
  // continued and tried to free a part.
  const bool has_failed = sticky_error_ || pending_fault_;
  if (transport_ && (!has_failed || !attempted_frees_.empty())) {
    for (const std::uint64_t address : attempted_frees_) memory_.remove(address);
    describe_lost_memory(nullptr);
    report_live_objects();
    ask(EndProgram{});
  }
  if (own_device_ < 0) return;
  transport_.reset();
  end_own_device(own_device_);
  own_device_ = -1;
  if (!has_lost_device_) return;
  // The program's own status is 0 if it ignores errors, or if it made no call after the device had died.
  std::fflush(nullptr);
  ::_exit(kLostDeviceStatus);
}

static Source source_of(const CallSite& site) {
  SourcePlace place = site.place();
  return {std::move(place.file), place.line, std::move(place.function)};
}

void Runtime::describe_lost_memory(const void* except) {
  if (!transport_) return;
  constexpr std::size_t kMost = 64;  // enough for a report; each description takes time
  std::size_t count = 0;
  memory_.for_each([&](const KnownMemory& memory) {
    if (!memory.site.is_known() || count == kMost)
      return;  // variables and registered memory have no call site
    if (except != nullptr && memory.site.library() == except) return;
    ++count;
    describe_memory(memory, true);
  });
}

void Runtime::locate_calls() {
  if (!transport_) return;
  const auto answered = ask(QueryCallSites{});
  const std::span sites = answered.answer.numbers;
  for (std::size_t number = 0; sites.size() >= (number + 1) * kSiteNumbers; ++number)
    ask(LocateCall{number,
                   source_of(CallSite::of_numbers(sites.subspan(number * kSiteNumbers, kSiteNumbers)))});
}

void Runtime::describe_memory(const KnownMemory& memory, bool is_lost) {
  const MemoryKind kind = memory.described_as == MemoryKind::unknown ? memory.kind : memory.described_as;
  ask(DescribeMemory{memory.address, memory.size_bytes, kind, is_lost, source_of(memory.site),
                     source_of(memory.freed)});
}

void Runtime::call_host_function(const std::function<void()>& function) {
  // A host function can wait for another thread that calls CUDA, so the mutex must not be held. Calls of CUDA
  // by the host function itself fail in enter().
  struct Unlocked {
    std::mutex& mutex;
    // On a real GPU, a thread of the driver runs the function and keeps the function's errors.
    cudaError_t last_error = last_error_of_thread;
    explicit Unlocked(std::mutex& held) : mutex(held) {
      is_in_host_function = true;
      mutex.unlock();
    }
    ~Unlocked() {
      mutex.lock();
      is_in_host_function = false;
      last_error_of_thread = last_error;
    }
  };
  close_memory_in_use();
  {
    const Unlocked unlocked(mutex_);
    function();
  }
  guard_.open();
}

void Runtime::between_calls(const std::function<void()>& action) {
  guard_.open();
  action();
  close_memory_in_use();
}

void Runtime::note_attempted_free(const void* memory) {
  const std::lock_guard lock(mutex_);
  if (memory != nullptr && (sticky_error_ || pending_fault_)) attempted_frees_.insert(address_of(memory));
}

std::optional<Outcome> Runtime::enter(CallKind kind) {
  ++calls_;
  is_polling_ = kind == CallKind::polling;
  // Opening and closing memory takes time in proportion to its size.
  if (!is_polling_) guard_.open();
  if (is_in_host_function)
    return Outcome(cudaErrorNotPermitted, "host functions and callbacks must not call CUDA functions");
  if (!has_searched_device_) find_device();
  if (!transport_) return Outcome(cudaErrorNoDevice);
  if (sticky_error_) return Outcome(*sticky_error_);
  if (kind == CallKind::queued && pending_fault_) return Outcome(cudaSuccess);
  if (kind != CallKind::waiting && !is_polling_) return std::nullopt;

  print_device_output();
  if (!pending_fault_) return std::nullopt;
  return std::exchange(pending_fault_, std::nullopt);
}

cudaError_t Runtime::leave(const char* call, const Outcome& outcome) {
  if (is_polling_) {
    if (outcome.error == cudaErrorNotReady) return outcome.error;  // the same memory is in use as before
    guard_.open();
  }
  if (outcome.error != cudaSuccess) note_failure(call, outcome);
  close_memory_in_use();
  return outcome.error;
}

void Runtime::note_failure(const char* call, const Outcome& outcome) {
  // The answer of a query, not an error: cudaGetLastError() does not return it (CUDA C++ Programming Guide,
  // "Error Checking").
  if (outcome.error == cudaErrorNotReady) return;
  last_error_of_thread = outcome.error;
  // A sticky error is reported only at the first call that returns it.
  if (transport_ && !sticky_error_) {
    const auto caller = outcome.is_returned ? CallSite::Caller::program : CallSite::Caller::stub;
    const FailureKind kind = kind_of(outcome);
    ask(ReportFailure{call, outcome.error, outcome.detail, kind, source_of(CallSite::here(caller))});
    ++reported_failures_;
    has_unreturned_ |= kind != FailureKind::quiet && !outcome.is_returned;
  }
  if (outcome.is_sticky) sticky_error_ = outcome.error;
}

void Runtime::close_memory_in_use() {
  if (in_use_.read.empty() && in_use_.written.empty()) return;
  if (!transport_ || !memory_.holds_host()) return;
  if (is_in_host_function || !handles_host_faults()) return;
  guard_.close(memory_, in_use_.read, in_use_.written);
}

bool Runtime::open_after_access(std::uint64_t address, bool is_write, const void* instruction) {
  if (guard_.is_closed() && !guard_.is_of_this_process()) return guard_.open(), true;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) {
    // A call in another thread opens all memory at its start, so a retry of the access soon succeeds. The
    // limit ends the retries if the memory was never closed.
    constexpr int kMostTries = 1 << 20;
    thread_local int tries = 0;
    ::sched_yield();
    return ++tries < kMostTries;
  }
  const auto memory = guard_.at(address);
  if (!memory) return false;
  if (transport_)
    ask(ReportHostAccess{address, is_write, is_in_host_function, memory->kind,
                         source_of(CallSite::of_crash(instruction))});
  guard_.open(*memory);
  return true;
}

void Runtime::note_work_done() {
  if (checked_failures_ == reported_failures_) return;
  ask(ReportIgnored{checked_failures_});
  note_checked_error();  // report these failures only once
}

cudaError_t Runtime::last_error(LastError what) {
  note_checked_error();
  if (sticky_error_) return *sticky_error_;
  const cudaError_t error = last_error_of_thread;
  if (what == LastError::reset) last_error_of_thread = cudaSuccess;
  return error;
}

void Runtime::report_unsupported(const char* call) {
  if (!printed_messages_.insert(call).second) return;
  std::fprintf(stderr,
               "warpgrade: %s is not supported by the virtual GPU; it returns cudaErrorNotSupported\n", call);
  if (transport_) ask(ReportUnsupported{call});
}

bool Runtime::report_crash(std::uint64_t address, const CallSite& site) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock && transport_ && static_cast<bool>(ask(ReportCrash{address, source_of(site)}));
}

void Runtime::close_own_device() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || own_device_ < 0) return;
  end_own_device(own_device_);
  lock.release();  // never unlock: the socket is closed, and no other thread must use it
}

void Runtime::print_device_output() {
  if (pending_printf_bytes_ == 0) return;
  std::string text(pending_printf_bytes_, '\0');
  pending_printf_bytes_ = 0;
  if (!ask(TakePrintfOutput{text.size()}, {}, std::as_writable_bytes(std::span(text)))) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Runtime::note_launch(const std::string& kernel, const LaunchOutcome& launch) {
  note_work_done();
  pending_printf_bytes_ = launch.printf_bytes;
  for (const std::uint64_t start : launch.undescribed_memory) {
    auto memory = memory_.at(start);
    if (!memory) memory = memory_.freed_at(start);
    describe_memory(memory.value_or(KnownMemory{start, 0, MemoryKind::unknown}), false);
  }
  if (!launch.faulted) return;
  pending_fault_ = Outcome(error_of_fault(launch.fault, launch.fault_detail), "kernel " + kernel);
  pending_fault_->is_sticky = true;
}

OrOutcome<std::uint32_t> Runtime::module_of(FatBinary& binary) {
  if (binary.module) return *binary.module;
  if (binary.size_bytes == 0) {
    return grader::Unexpected{
        Outcome(cudaErrorInvalidKernelImage, "the program contains device code in an unknown format")};
  }
  const auto answered = ask(LoadModule{}, std::span(binary.image, binary.size_bytes));
  if (!answered) {
    // Libraries convert the error to one of their own, without the reason, so print the reason here.
    if (printed_messages_.insert(answered.reason).second)
      std::fprintf(stderr, "warpgrade: device code of the program cannot be loaded: %s\n",
                   answered.reason.c_str());
    return grader::Unexpected{outcome_of(answered)};
  }
  binary.module = answered.answer.module;
  return *binary.module;
}

OrOutcome<Kernel*> Runtime::kernel(const void* host_function) {
  Kernel* kernel = registry_.find_kernel(host_function);
  if (!kernel) {
    return grader::Unexpected{
        Outcome(cudaErrorInvalidDeviceFunction, "the function is not a kernel of this program")};
  }
  if (kernel->facts) return kernel;
  const auto module = module_of(*kernel->binary);
  if (!module) return grader::Unexpected{module.error()};
  auto answered = ask(QueryKernel{*module, kernel->name});
  if (!answered) return grader::Unexpected{outcome_of(answered)};
  kernel->facts = std::move(answered.answer);
  return kernel;
}

OrOutcome<MemoryRange> Runtime::symbol(FatBinary& binary, const std::string& name) {
  const auto module = module_of(binary);
  if (!module) return grader::Unexpected{module.error()};
  const auto answered = ask(QuerySymbol{*module, name});
  if (answered) return answered.answer;
  // clang 14 replaces variables in unnamed namespaces by constants if no kernel writes them, although the
  // host can.
  return grader::Unexpected{Outcome(
      cudaErrorInvalidSymbol, answered.reason +
                                  ": the compiler removed it, because no kernel uses it or only the host "
                                  "writes it; declare it outside of a namespace")};
}

OrOutcome<MemoryRange> Runtime::variable(const void* host_variable) {
  Variable* variable = registry_.find_variable(host_variable);
  if (!variable) {
    const auto memory = memory_.at(address_of(host_variable));
    if (memory && memory->kind == MemoryKind::managed)
      return MemoryRange{memory->address, memory->size_bytes};
    return grader::Unexpected{
        Outcome(cudaErrorInvalidSymbol, "the symbol is not a __device__ or __constant__ variable")};
  }
  if (variable->range) return *variable->range;
  const auto range = symbol(*variable->binary, variable->name);
  if (!range) return grader::Unexpected{range.error()};
  variable->range = *range;
  memory_.add({range->address, range->size_bytes, MemoryKind::device});
  return *range;
}

OrOutcome<std::uint64_t> Runtime::place_in_variable(const void* host_variable, std::size_t offset,
                                                    std::size_t size_bytes) {
  const auto range = variable(host_variable);
  if (!range) return grader::Unexpected{range.error()};
  if (offset > range->size_bytes || size_bytes > range->size_bytes - offset) {
    return grader::Unexpected{Outcome(
        cudaErrorInvalidValue, std::to_string(size_bytes) + " bytes at offset " + std::to_string(offset) +
                                   " of a variable of " + std::to_string(range->size_bytes) + " bytes")};
  }
  return range->address + offset;
}

/// Runs after the program's own destructors, because these can still free device memory.
__attribute__((destructor)) static void program_ends() { Runtime::instance().end(); }

cudaError_t unsupported_call(const char* name) {
  return api_call(name, CallKind::host, [name](Runtime& runtime) {
    runtime.report_unsupported(name);
    return Outcome(cudaErrorNotSupported);
  });
}

}  // namespace vgpu::cudart::client
