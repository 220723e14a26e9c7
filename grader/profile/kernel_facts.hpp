// The facts of a profile: what one run of a program shows about each of its kernels. Pure; made from the
// records of the virtual GPU, shown by profile_text.hpp and page.hpp. Covered by tests/profile/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/wording.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/model/profile.hpp"

namespace grader {

/// Executions of memory instructions, with their cost in sectors or wavefronts.
struct AccessSum {
  std::uint64_t executions = 0, cost = 0, ideal = 0;

  AccessSum& operator+=(const AccessSum& other);
};

/// Accesses to one kind of memory.
struct SpaceSums {
  AccessSum loads, stores;  ///< stores include atomics

  AccessSum both() const;
};

struct LineFacts {
  std::string file;        ///< as the compiler named it; empty: code without a line
  std::uint32_t line = 0;  ///< 0: code without a line
  std::string source;      ///< the line's text; empty if unknown
  vgpu::Counters counters;
  SpaceSums global, shared;
  std::vector<std::string> ptx;
};

struct NamedAccess : vgpu::RecordedSite {
  /// "`tile`", "`in`", "allocation 3 (1200 bytes)": what all executions access; empty: unknown. Not safe to
  /// print.
  std::string memory_name;
};

struct KernelFacts {
  std::string name;            ///< of people; not safe to print
  vgpu::LaunchRecord longest;  ///< the longest launch
  std::uint64_t launches = 0;
  double seconds = 0;                 ///< of all launches
  vgpu::Counters counters;            ///< of all launches
  SpaceSums global, shared;           ///< of the longest launch, like the next members
  std::vector<LineFacts> lines;       ///< by file and line
  std::vector<NamedAccess> accesses;  ///< the most wasteful first, then the most frequent
};

/// Finds the text of a source file that a compiler named.
using FindSource = std::function<SourceText(const std::string& file)>;

/// Finds the name of the array at `nearest`; empty: unknown.
using FindArray = std::function<std::string(const vgpu::Fault& access)>;
inline std::string no_array(const vgpu::Fault&) { return ""; }

/// The kernels of all programs, the one that takes longest first.
std::vector<KernelFacts> kernel_facts(const std::vector<vgpu::cudart::SessionReport>& programs,
                                      const FindSource& find_source, const FindArray& find_array = no_array);

/// A run on one device.
struct DeviceRun {
  vgpu::Profile device;
  std::vector<vgpu::cudart::SessionReport> programs;
};

/// The accesses that pictures show: those on the line, or else for global and for shared memory the one that
/// wastes most.
struct AccessChoice {
  std::string file;        ///< ends the compiler's name; empty: any
  std::uint32_t line = 0;  ///< 0: no line is chosen
  bool first = false;      ///< the first execution instead of the worst
};
std::vector<const NamedAccess*> chosen_accesses(const KernelFacts& kernel, const AccessChoice& choice);
inline const vgpu::RecordedAccess& chosen_execution(const vgpu::RecordedSite& site,
                                                    const AccessChoice& choice) {
  return choice.first ? site.first : site.worst;
}

}  // namespace grader
