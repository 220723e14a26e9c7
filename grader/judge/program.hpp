// Diagnoses a program outside its kernels after it has ended: unordered streams and host code, unchecked CUDA
// errors, calls that are always mistakes, and memory that was not freed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

/// Reads a source file that contains a host call, by its path; empty if it is not available.
using SourceReader = std::function<SourceText(const std::string& file)>;

/// Sets the place, and the text of its line if that is available.
void locate(Diagnostic& problem, const vgpu::cudart::HostPlace& place, const SourceReader& read);

std::vector<Diagnostic> diagnose_program(const vgpu::cudart::SessionReport& program,
                                         const SourceReader& read = {});

/// WG-H14: host code dereferenced a device pointer.
Diagnostic device_pointer_on_host(const vgpu::cudart::HostCrash& crash, const SourceReader& read = {});

/// WG-H13: "cudaMalloc failed with … and the program did not check the error".
Diagnostic ignored_failure(const vgpu::cudart::ApiFailure& failure, const SourceReader& read = {});

/// A warning only, because the driver reclaims the memory. `kept`: the number of first allocations that live
/// until the end on purpose (the harness's own). nullopt if all others were freed.
std::optional<Diagnostic> leaked_memory(const vgpu::cudart::SessionReport& program, std::size_t kept,
                                        const SourceReader& read = {});

/// Memory that kernels allocated and did not free. The device does not record the lines of these allocations.
std::optional<Diagnostic> lost_kernel_memory(const vgpu::cudart::SessionReport& program);

}  // namespace grader
