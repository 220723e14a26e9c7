// Which approximate functions a kernel's PTX contains, and what their results can reach. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vgpu {

struct Approximations {
  struct Place {
    std::string file;  ///< as the compiler named it
    std::uint32_t line = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Function {
    std::string instruction;  ///< "ex2.approx.ftz.f32"
    std::uint32_t count = 0;  ///< occurrences in the kernel's PTX, with what it calls
    Place first;

    friend bool operator==(const Function&, const Function&) = default;
  };
  std::vector<Function> functions;  ///< in the order of their first occurrence
  // The first places that a result can reach, possibly through memory; nullopt: it reaches none. The analysis
  // follows all paths of the code, so that a place can be reported that no run reaches.
  std::optional<Place> branch;   ///< a condition: of a branch or of a guarded instruction
  std::optional<Place> address;  ///< of a memory access
  std::optional<Place>
      barrier;  ///< an operand, or a barrier that only some threads reach because of a result

  friend bool operator==(const Approximations&, const Approximations&) = default;
};

}  // namespace vgpu
