#include "judge/inexact_kernels.hpp"

#include <algorithm>

#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::Approximations;

Approximations::Place without_folder(Approximations::Place place) {
  place.file = cleaned(place.file.substr(place.file.rfind('/') + 1));  // npos + 1 is 0
  return place;
}

Approximations without_folders(Approximations found) {
  for (Approximations::Function& one : found.functions) one.first = without_folder(one.first);
  for (auto* place : {&found.branch, &found.address, &found.barrier})
    if (*place) *place = without_folder(**place);
  return found;
}

}  // namespace

bool is_analysed(const vgpu::cudart::SessionReport& program) {
  return std::any_of(program.launches.begin(), program.launches.end(),
                     [](const vgpu::LaunchRecord& launch) { return launch.approximations != nullptr; });
}

void add_inexact_kernels(const vgpu::cudart::SessionReport& program, std::vector<InexactKernel>& all) {
  for (const vgpu::LaunchRecord& launch : program.launches) {
    if (!launch.approximations || launch.approximations->functions.empty()) continue;
    const std::string name = cleaned(kernel_name(launch.kernel));
    const bool is_known =
        std::any_of(all.begin(), all.end(), [&](const InexactKernel& one) { return one.name == name; });
    if (is_known || all.size() == kMaxInexactKernels) continue;
    all.push_back({name, without_folders(*launch.approximations)});
  }
}

}  // namespace grader
