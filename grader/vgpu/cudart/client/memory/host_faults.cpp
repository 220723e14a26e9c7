#include "vgpu/cudart/client/memory/host_faults.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>

#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "vgpu/cudart/client/core/runtime.hpp"
#include "vgpu/cudart/client/memory/host_room.hpp"

namespace vgpu::cudart::client {
namespace {

// The range of device addresses. kDeviceBase is the same as in global_memory.hpp, and the operating system's
// half of the address space starts at kDeviceEnd.
constexpr std::uint64_t kDeviceBase = std::uint64_t{1} << 62U;
constexpr std::uint64_t kDeviceEnd = std::uint64_t{1} << 63U;

/// Finds a device address in a register; returns 0 if there is none. A program that dereferences a device
/// address crashes, because the address is not canonical (Intel SDM, volume 1, "Canonical Addressing"). The
/// processor does not report a non-canonical address, but usually a register contains it.
std::uint64_t device_address_in(const ucontext_t& context) {
#ifdef __x86_64__
  for (const int number : {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8, REG_R9,
                           REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15}) {
    const auto value = static_cast<std::uint64_t>(context.uc_mcontext.gregs[number]);
    if (value >= kDeviceBase && value < kDeviceEnd) return value;
  }
#endif
  return 0;
}

const void* instruction_of(const ucontext_t& context) {
#ifdef __x86_64__
  return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#else
  (void)context;
  return nullptr;
#endif
}

/// Whether a page fault was a write.
bool is_write(const ucontext_t& context) {
#ifdef __x86_64__
  constexpr greg_t kWrite = 2;  // Intel SDM, volume 3, "Page-Fault Exceptions": W/R of the error code
  return (context.uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  (void)context;
  return false;
#endif
}

std::uint64_t stack_pointer_of(const ucontext_t& context) {
#ifdef __x86_64__
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
#else
  (void)context;
  return 0;
#endif
}

/// The stack of the thread that installed the handlers, as far as it can grow.
struct HostStack {
  std::uint64_t top = 0;  ///< an address near its start
  std::uint64_t size_bytes = 0;
};
HostStack host_stack;

/// The bytes of the stack that the program needs at least, if the access is the one that did not fit;
/// otherwise 0.
std::uint64_t overflow_of_stack(std::uint64_t address, const ucontext_t& context) {
  constexpr std::uint64_t kNear = std::uint64_t{64} << 10U, kAboveTop = std::uint64_t{256} << 10U;
  const std::uint64_t pointer = stack_pointer_of(context);
  if (host_stack.size_bytes == 0 || address >= host_stack.top || address + kNear < pointer) return 0;
  const std::uint64_t used = host_stack.top - address;
  return used + kAboveTop > host_stack.size_bytes ? used : 0;
}

void write_line(const char* text, int length) {
  if (length > 0 && ::write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) return;
}

void print_source_line(const CallSite& site) {
  const SourcePlace place = site.place();
  if (place.file.empty()) return;
  char text[512];
  write_line(text, std::snprintf(text, sizeof text, "warpgrade: host code crashed at %.400s:%u\n",
                                 place.file.c_str() + place.file.rfind('/') + 1, place.line));
}

/// Prints which array an access missed by little.
void print_array(const siginfo_t& info, bool is_write) {
  const std::unique_lock lock(Runtime::instance().mutex(), std::try_to_lock);
  if (!lock) return;
  const auto array = array_next_to(address_of(info.si_addr));
  if (!array) return;
  char text[256];
  write_line(text, std::snprintf(text, sizeof text,
                                 "warpgrade: host code %s byte %lld of the %llu bytes of %s%s%.64s\n",
                                 is_write ? "wrote" : "read", static_cast<long long>(array->offset),
                                 static_cast<unsigned long long>(array->size_bytes), array->kind,
                                 array->name.empty() ? "" : " ", array->name.c_str()));
}

/// " at k.cu:12"; empty if the place is unknown.
std::string place_text(const CallSite& site) {
  const SourcePlace place = site.is_known() ? site.place() : SourcePlace{};
  if (place.file.empty()) return "";
  return " at " + place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
}

/// Prints which memory of the host an access used after the program had freed it. Such memory is unmapped.
void print_freed(const siginfo_t& info, bool is_write) {
  const std::unique_lock lock(Runtime::instance().mutex(), std::try_to_lock);
  if (!lock) return;
  const std::uint64_t address = address_of(info.si_addr);
  const auto memory = Runtime::instance().memory().freed_with(address);
  if (!memory) return;
  const char* const call = memory->kind == MemoryKind::managed ? "cudaFree" : "cudaFreeHost";
  const std::string allocated = place_text(memory->site);
  const std::string text = std::string("warpgrade: host code ") + (is_write ? "wrote" : "read") + " byte " +
                           std::to_string(address - memory->address) + " of the " +
                           std::to_string(memory->size_bytes) + " bytes of memory that " + call + " freed" +
                           place_text(memory->freed) + (allocated.empty() ? "" : ", allocated" + allocated) +
                           "\n";
  write_line(text.data(), static_cast<int>(text.size()));
}

void print_stack_overflow(std::uint64_t used_bytes) {
  char text[256];
  write_line(text, std::snprintf(text, sizeof text,
                                 "warpgrade: the stack of host code has %llu bytes, and it needs %llu\n",
                                 static_cast<unsigned long long>(host_stack.size_bytes),
                                 static_cast<unsigned long long>(used_bytes)));
}

/// Prints the report if no device can receive it.
void print_device_address(std::uint64_t address) {
  char text[256];
  write_line(text, std::snprintf(text, sizeof text,
                                 "warpgrade: WG-H14: host code used device memory at %#llx: copy it to the "
                                 "host with cudaMemcpy first\n",
                                 static_cast<unsigned long long>(address)));
}

/// Ends the program if a handler takes too long, because a handler can wait forever.
class TimeLimit {
 public:
  TimeLimit() {
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(kMostSeconds);
  }
  ~TimeLimit() { ::alarm(0); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  static constexpr unsigned kMostSeconds = 2;
};

/// Explains a crash. This reads debug information, allocates memory and sends requests, so it can wait
/// forever if the crash was inside an allocation.
void explain(int signal, const siginfo_t& info, const ucontext_t& context) {
  const TimeLimit limit;
  const std::uint64_t address = device_address_in(context);
  const CallSite site = CallSite::of_crash(instruction_of(context));
  // Without SI_KERNEL, the fault has a valid address, such as a null pointer, and the register contains a
  // device address by coincidence.
  const bool is_of_device =
      signal == SIGSEGV && info.si_code == SI_KERNEL && info.si_addr == nullptr && address != 0;
  if (!is_of_device || !Runtime::instance().report_crash(address, site)) {
    if (is_of_device) print_device_address(address);
    if (signal == SIGSEGV && info.si_code == SEGV_ACCERR) print_array(info, is_write(context));
    if (signal == SIGSEGV && info.si_code == SEGV_MAPERR) print_freed(info, is_write(context));
    const bool has_address = signal == SIGSEGV && info.si_code != SI_KERNEL;
    if (const auto used = has_address ? overflow_of_stack(address_of(info.si_addr), context) : 0)
      print_stack_overflow(used);
    print_source_line(site);
  }
  Runtime::instance().close_own_device();
}

/// Allocates memory and sends requests, too. This is safe because allocators keep none of their data in
/// shared memory.
bool handle_early_access(int signal, const siginfo_t& info, const ucontext_t& context) {
  if (signal != SIGSEGV || info.si_code != SEGV_ACCERR) return false;
  return Runtime::instance().open_after_access(address_of(info.si_addr), is_write(context),
                                               instruction_of(context));
}

void fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto& state = *static_cast<const ucontext_t*>(context);
  if (!handle_early_access(signal, *info, state)) {
    explain(signal, *info, state);
    ::signal(signal, SIG_DFL);
    // Pending until the handler returns. The instruction alone might succeed now: the explanation has
    // allocated memory, perhaps where the program had freed some.
    ::raise(signal);
  }
  errno = error;
}

/// Handles abort(). No explanation is necessary, because the caller has printed one, as assert() does.
void wait_for_report(int signal, siginfo_t*, void*) {
  const TimeLimit limit;
  Runtime::instance().close_own_device();
  ::signal(signal, SIG_DFL);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(signal, &action, nullptr);
}

/// If the stack is full, a handler needs another one.
void prepare_for_full_stack() {
  constexpr std::size_t kBytes = std::size_t{512} << 10U;  // for the reader of debug information
  static std::byte* const room = new std::byte[kBytes];    // exists until the program ends
  stack_t stack{};
  if (::sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) != 0) {
    stack.ss_sp = room;
    stack.ss_size = kBytes;
    stack.ss_flags = 0;
    ::sigaltstack(&stack, nullptr);
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  host_stack = {reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), limit.rlim_cur};
}

}  // namespace

void handle_host_faults() {
  prepare_for_full_stack();
  handle(SIGSEGV, fault);
  handle(SIGFPE, fault);
  handle(SIGABRT, wait_for_report);
}

bool handles_host_faults() {
#ifdef __x86_64__
  struct sigaction now {};
  return ::sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == fault;
#else
  return false;
#endif
}

}  // namespace vgpu::cudart::client
