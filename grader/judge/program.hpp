// What a program did wrong beside its kernels, told when it has ended: streams and host code in no order,
// CUDA errors that it never looked at, calls that no program means, and memory that it did not free.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

/// The text of a source file that a host call stands in, by its path; empty if it cannot be had.
using SourceReader = std::function<SourceText(const std::string& file)>;

/// Names the place, and the text of its line where that can be had.
void locate(Diagnostic& problem, const vgpu::cudart::HostPlace& place, const SourceReader& read);

std::vector<Diagnostic> diagnose_program(const vgpu::cudart::SessionReport& program,
                                         const SourceReader& read = {});

/// Host code followed a device pointer.
Diagnostic device_pointer_on_host(const vgpu::cudart::HostCrash& crash, const SourceReader& read = {});

/// "cudaMalloc failed with … and the program never looked at the error".
Diagnostic ignored_failure(const vgpu::cudart::ApiFailure& failure, const SourceReader& read = {});

/// A warning: the driver takes the memory back. `kept`: allocations, the first ones, that are meant to live
/// until the end (the harness's own). nullopt if everything else was freed.
std::optional<Diagnostic> leaked_memory(const vgpu::cudart::SessionReport& program, std::size_t kept,
                                        const SourceReader& read = {});

}  // namespace grader
