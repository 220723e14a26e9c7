// Where in the program a call of the runtime stands: return addresses, taken when the call is made, and
// turned into a source line only when there is something to tell. Needs the program's debug information;
// without it a function's name is all there is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vgpu::cudart::client {

struct SourcePlace {
  std::string file;        ///< as the compiler was given it; empty: not known
  std::uint32_t line = 0;  ///< 0: not known
  std::string function;    ///< empty: not known
};

class CallSite {
 public:
  enum class Caller : std::uint8_t {
    program,
    stub,  ///< what compilers make of kernel<<<…>>>(…)
    crash  ///< nobody: a signal came
  };

  /// The calls that led here, this library's own left out.
  static CallSite here(Caller caller = Caller::program);
  /// In a signal's handler: the calls that led to the instruction that it came at.
  static CallSite of_crash(const void* instruction);

  // As the device keeps it.
  std::vector<std::uint64_t> numbers() const;
  static CallSite of_numbers(std::span<const std::uint64_t> numbers);

  bool is_known() const { return returns_[0] != 0; }

  /// The innermost of them in the program's own files: wrappers in headers of the system and of CUDA are
  /// passed over where a caller is known. May take milliseconds the first time.
  SourcePlace place() const;

  /// Where the library or program is loaded that holds the innermost of them; nullptr: not known.
  const void* library() const;

 private:
  std::array<std::uintptr_t, 6> returns_{};  ///< innermost first; 0 behind the last
  Caller caller_ = Caller::program;
};

}  // namespace vgpu::cudart::client
