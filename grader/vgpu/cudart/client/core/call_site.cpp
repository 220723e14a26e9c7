#include "vgpu/cudart/client/core/call_site.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <backtrace.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

namespace vgpu::cudart::client {
namespace {

void ignore_error(void*, const char*, int) {}

/// The debug information of the program and its libraries; nullptr if it cannot be read.
backtrace_state* debug_information() {
  static backtrace_state* const state = ::backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  return state;
}

/// Unlike dladdr(), this searches for no symbol, which would take programs with many calls a tenth of their
/// time.
const void* library_of(const void* code) {
  dl_find_object library{};
  return ::_dl_find_object(const_cast<void*>(code), &library) == 0 ? library.dlfo_map_start : nullptr;
}

/// System libraries can have debug information, too. Their file names mean nothing to the program's author.
bool is_in_system_library(std::uintptr_t code) {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(code), &library) == 0 || library.dli_fname == nullptr)
    return false;
  const std::string_view file = library.dli_fname;
  return file.starts_with("/lib") || file.starts_with("/usr/lib");
}

struct Walk {
  std::span<std::uintptr_t> returns;
  const void* own_library;
  std::uintptr_t start = 0;  ///< skip frames up to this address; 0: skip none
  std::size_t count = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || walk.count == walk.returns.size()) return _URC_END_OF_STACK;
  if (walk.start != 0 && walk.start != address) return _URC_NO_REASON;
  const bool is_crash = std::exchange(walk.start, 0) != 0;
  // The call instruction precedes the return address.
  const bool is_own = library_of(reinterpret_cast<const void*>(address - 1)) == walk.own_library;
  if (!is_own) walk.returns[walk.count++] = address + (is_crash ? 1 : 0);
  return _URC_NO_REASON;
}

std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = text != nullptr ? text : name;
  std::free(text);
  return result;
}

/// Collects the lines of all functions inlined at the return addresses, innermost first.
struct Lines {
  std::optional<SourcePlace> innermost;
  std::optional<SourcePlace> own;  ///< the innermost line in the program's own files
  bool is_known = false;           ///< the latest address has at least one line
  bool expects_stub = false;       ///< the next line belongs to the stub of a launch
  std::string launched;            ///< the kernel of the latest stub lines (nvcc only)
};

/// Functions in headers of the system, of CUDA and of the labs can wrap the call that the program makes.
bool is_a_wrapper(std::string_view file) {
  return file.starts_with("/usr/") || file.find("/cuda_runtime.h") != std::string_view::npos ||
         file.find("/include/lab/") != std::string_view::npos;
}

/// "k" of "void ns::k<float>(float*)".
std::string_view unqualified(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const auto at = function.rfind(kAnonymous); at != std::string_view::npos)
    function.remove_prefix(at + kAnonymous.size());
  function = function.substr(0, function.find_first_of("(<"));
  const auto before = function.find_last_of(": ");
  return before == std::string_view::npos ? function : function.substr(before + 1);
}

/// kernel<<<…>>>(…) calls a function with the kernel's name and source line. With clang, this function is the
/// stub. With nvcc, it calls the stub through other functions in the stub's file; the stub's name is
/// __device_stub__ and the kernel's mangled name.
bool is_of_stub(Lines& lines, std::string_view file, std::string_view function) {
  constexpr std::string_view kStub = "__device_stub__";
  const bool expected = std::exchange(lines.expects_stub, false);
  if (const auto at = function.find(kStub); at != std::string_view::npos && lines.launched.empty()) {
    const std::string kernel(function.substr(at + kStub.size(), function.find('(') - at - kStub.size()));
    lines.launched = unqualified(kernel.starts_with("Z") ? demangled(("_" + kernel).c_str()) : kernel);
  }
  if (file.ends_with(".stub.c") || function.find("__cudaLaunchKernel_helper") != std::string_view::npos)
    return true;
  const std::string launched = std::exchange(lines.launched, "");
  return expected || (!launched.empty() && unqualified(function) == launched);
}

int note_line(void* data, std::uintptr_t, const char* file, int line, const char* function) {
  Lines& lines = *static_cast<Lines*>(data);
  if (file == nullptr || line <= 0) return 0;
  lines.is_known = true;
  SourcePlace place{file, static_cast<std::uint32_t>(line), function == nullptr ? "" : demangled(function)};
  if (is_of_stub(lines, place.file, place.function)) return 0;
  if (!lines.innermost) lines.innermost = place;
  if (!lines.own && !is_a_wrapper(place.file)) lines.own = std::move(place);
  return lines.own ? 1 : 0;
}

void note_symbol(void* data, std::uintptr_t, const char* symbol, std::uintptr_t, std::uintptr_t) {
  if (symbol != nullptr) *static_cast<std::string*>(data) = demangled(symbol);
}

}  // namespace

CallSite CallSite::here(Caller caller) {
  CallSite site;
  site.caller_ = caller;
  Walk walk{site.returns_, library_of(reinterpret_cast<const void*>(&here))};
  _Unwind_Backtrace(step, &walk);
  return site;
}

CallSite CallSite::of_crash(const void* instruction) {
  CallSite site;
  site.caller_ = Caller::crash;
  Walk walk{site.returns_, library_of(reinterpret_cast<const void*>(&of_crash)),
            reinterpret_cast<std::uintptr_t>(instruction)};
  _Unwind_Backtrace(step, &walk);
  return site;
}

std::vector<std::uint64_t> CallSite::numbers() const {
  std::vector<std::uint64_t> numbers{static_cast<std::uint64_t>(caller_)};
  std::copy_if(returns_.begin(), returns_.end(), std::back_inserter(numbers),
               [](std::uintptr_t address) { return address != 0; });
  return numbers;
}

CallSite CallSite::of_numbers(std::span<const std::uint64_t> numbers) {
  CallSite site;
  if (numbers.empty() || numbers.size() > 1 + site.returns_.size()) return site;
  site.caller_ = static_cast<Caller>(numbers.front());
  std::copy(numbers.begin() + 1, numbers.end(), site.returns_.begin());
  return site;
}

const void* CallSite::library() const {
  return returns_[0] == 0 ? nullptr : library_of(reinterpret_cast<const void*>(returns_[0] - 1));
}

SourcePlace CallSite::place() const {
  backtrace_state* const state = debug_information();
  if (state == nullptr || returns_[0] == 0) return {};
  Lines lines;
  lines.expects_stub = caller_ == Caller::stub;
  for (const std::uintptr_t address : returns_) {
    if (address == 0) break;
    if (caller_ == Caller::crash && is_in_system_library(address - 1)) continue;
    lines.is_known = false;
    ::backtrace_pcinfo(state, address - 1, note_line, ignore_error, &lines);
    if (lines.own) return *lines.own;
    // The code has no debug information. Outer frames do not belong to the program then, unless a library
    // crashed.
    if (!lines.is_known && caller_ != Caller::crash) break;
  }
  if (lines.innermost) return *lines.innermost;
  SourcePlace place;
  ::backtrace_syminfo(state, returns_[0] - 1, note_symbol, ignore_error, &place.function);
  return place;
}

}  // namespace vgpu::cudart::client
