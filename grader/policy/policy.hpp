// What a submission may contain, checked before it is linked: the symbols that its object defines and
// imports, code that runs when it is loaded, inline assembly, forbidden libraries. Pure. The submission is
// examined in the grader's process, but none of its code runs there. Covered by tests/policy/.
//
// What is permitted and what this cannot detect: handout/instructor/grading.md, "What a submission may use".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace grader::policy {

/// The rules of one lab, from lab.json.
struct Rules {
  std::vector<std::string> entries;        ///< the lab's functions: the only exported symbols
  std::vector<std::string> allow_symbols;  ///< permitted imports in addition to those that all labs permit
  std::vector<std::string> forbid_libraries = default_forbidden_libraries();

  static std::vector<std::string> default_forbidden_libraries();
};

/// The libraries that a lab can forbid; "tensor_cores" are instructions, whatever library contains them.
const std::vector<std::string>& known_libraries();

struct Findings {
  /// Reasons to refuse the submission, at most kMaxFindings, in the source's order if it is known.
  ///   WG-S20 imports a function that it may not use     WG-S24 machine code that calls the system itself
  ///   WG-S21 defines a reserved symbol                  WG-S25 uses a forbidden library or tensor cores
  ///   WG-S22 code that runs when the program is loaded  WG-S26 the object is not what a compiler makes
  ///   WG-S23 inline assembly in host code
  std::vector<Diagnostic> refused;
  /// Imports of unknown functions: a mistake if the linker finds no such function, else WG-S20.
  std::vector<Diagnostic> unknown_imports;
};
inline constexpr std::size_t kMaxFindings = 5;

/// A submission's text and the lab's name of the file.
struct Source {
  std::string_view text, name;
};

/// Before compiling, because the headers of large libraries take the compiler half a minute: WG-S25.
Findings examine_source(const Source& source, const Rules& rules);
/// The assembly code that the compiler generated for the host, before it is assembled: WG-S23.
Findings examine_assembly(std::string_view assembly, const Source& source, const Rules& rules);
/// The C++ text that nvcc passes to g++ for the host: WG-S23.
Findings examine_host_source(std::string_view host_source, const Source& source, const Rules& rules);
/// The PTX that the compiler generated for the device: WG-S25.
Findings examine_device_code(std::string_view ptx, const Source& source, const Rules& rules);
/// All other checks.
Findings examine_object(std::span<const std::byte> object, const Source& source, const Rules& rules);

/// A linker's version script that makes only the entries visible.
std::string export_list(const Rules& rules);

}  // namespace grader::policy
