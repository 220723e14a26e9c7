// What a program did wrong beside its kernels, told when it has ended: CUDA errors that it never looked at,
// and device memory that it did not free.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/server.hpp"

namespace grader {

/// The text of a source file that a host call stands in, by its path; empty if it cannot be had.
using SourceReader = std::function<SourceText(const std::string& file)>;

/// `kept`: allocations, the first ones, that are meant to live until the end (the harness's own).
std::vector<Diagnostic> diagnose_program(const vgpu::cudart::SessionReport& program, std::size_t kept = 0,
                                         const SourceReader& read = {});

/// "cudaMalloc failed with … and the program never looked at the error"; `count` such failures in all.
Diagnostic ignored_failure(const vgpu::cudart::ApiFailure& failure, std::size_t count,
                           const SourceReader& read = {});

/// A warning: the driver takes the memory back. nullopt if everything but the first `kept` was freed.
std::optional<Diagnostic> leaked_memory(const vgpu::cudart::SessionReport& program, std::size_t kept,
                                        const SourceReader& read = {});

}  // namespace grader
