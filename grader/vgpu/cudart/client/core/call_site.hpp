// The place of a runtime call in the program. A call site stores return addresses, and place() finds their
// source line when a report needs it. This requires the program's debug information; without it, place()
// finds only a function's name.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vgpu::cudart::client {

struct SourcePlace {
  std::string file;        ///< as passed to the compiler; empty if unknown
  std::uint32_t line = 0;  ///< 0 if unknown
  std::string function;    ///< empty if unknown
};

class CallSite {
 public:
  enum class Caller : std::uint8_t {
    program,
    stub,  ///< the host function that the compiler generates for kernel<<<…>>>(…)
    crash  ///< no caller: a signal was raised
  };

  /// The calls that led here, without those inside this library.
  static CallSite here(Caller caller = Caller::program);
  /// For signal handlers: the calls that led to the instruction that raised the signal.
  static CallSite of_crash(const void* instruction);

  // The form in which the device stores a call site (Issue::site).
  std::vector<std::uint64_t> numbers() const;
  static CallSite of_numbers(std::span<const std::uint64_t> numbers);

  bool is_known() const { return returns_[0] != 0; }

  /// The innermost call in the program's own files. Skips wrappers in headers of the system, of CUDA and of
  /// the labs if their caller is known. The first call can take milliseconds.
  SourcePlace place() const;

  /// The load address of the library or program that contains the innermost call; nullptr if unknown.
  const void* library() const;

 private:
  std::array<std::uintptr_t, 6> returns_{};  ///< innermost first; 0 after the last
  Caller caller_ = Caller::program;
};

}  // namespace vgpu::cudart::client
