#include "judge/case_faults.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "judge/arrays.hpp"
#include "judge/coverage.hpp"
#include "judge/faults.hpp"
#include "judge/index_mistakes.hpp"
#include "judge/memory_faults.hpp"
#include "judge/shared_faults.hpp"
#include "judge/source_hints.hpp"
#include "judge/supply.hpp"
#include "judge/visible_mistakes.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

/// A matrix with rows this short is a vector of points.
constexpr std::size_t kMostComponents = 4;

/// An access just outside of memory that the program allocated itself.
bool leaves_own_buffer(const vgpu::Fault& fault, const harness::Job& job) {
  return fault.kind == vgpu::FaultKind::out_of_bounds && fault.nearest && !named_array(fault, job);
}

void name_kept_buffer(Diagnostic& outside) {
  outside.likely_cause =
      "the buffer has the size that an earlier call needed, and is too small for a later one";
  outside.next_step = "allocate the buffer in each call, or again when a call needs more";
}

/// The launch with this fault, or nullptr.
const vgpu::LaunchRecord* launch_with(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault) {
  for (const vgpu::LaunchRecord& launch : session.launches)
    for (const vgpu::Fault& one : launch.faults)
      if (&one == &fault) return &launch;
  return nullptr;
}

/// All matrices of the job consist of whole blocks, so that no thread or tile extends beyond one.
bool has_whole_blocks(const harness::Job& job, const vgpu::Dim3& block) {
  const auto is_whole = [&](const Shape& shape) {
    return shape.size() == 2 && std::all_of(shape.begin(), shape.end(), [&](std::size_t extent) {
             return extent % block.x == 0 && extent % block.y == 0;
           });
  };
  return is_whole(job.outputs[0].shape) &&
         std::all_of(job.inputs.begin(), job.inputs.end(),
                     [&](const harness::Input& input) { return is_whole(input.shape); });
}

/// An index that leaves a matrix although no guard is missing.
void explain_without_guard(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault,
                           const harness::Job& job, Diagnostic& outside) {
  const vgpu::LaunchRecord* launch = launch_with(session, fault);
  if (launch == nullptr || !named_array(fault, job) || !has_whole_blocks(job, launch->block)) return;
  const Shape& output = job.outputs[0].shape;
  const LaunchExtents extents{launch->grid, launch->block, is_transpose(job, 0)};
  if (auto advice = advice_on_exact_launch(output[0], output[1], extents)) {
    outside.likely_cause = std::move(advice->likely_cause);
    outside.next_step = std::move(advice->next_step);
  }
}

/// Every block ends, but there are too many threads, or each of them does too much.
void explain_many_blocks(const vgpu::LaunchRecord& launch, const harness::Job& job, Diagnostic& stopped) {
  const std::uint64_t threads = launch.grid.count() * launch.block.count();
  const std::uint64_t elements = element_count(job.outputs[0].shape);
  stopped.likely_cause = fmt::format(
      "the launch has {} blocks, {} threads in all, and `{}` has {} element{}: there are too many blocks, or "
      "each thread does too much",
      launch.grid.count(), threads, job.outputs[0].name, elements, elements == 1 ? "" : "s");
  stopped.next_step =
      "compute the number of blocks from the number of elements and the elements of a block, rounded up; "
      "then look for work that several threads repeat";
}

/// The blocks that have started wait for those that start when one of them ends.
void explain_blocks_that_wait(const vgpu::LaunchRecord& launch, std::uint64_t resident, Diagnostic& endless) {
  endless.code = "WG-B07";
  endless.what = fmt::format("blocks of `{}` wait for blocks that cannot start", kernel_name(launch.kernel));
  endless.first = fmt::format(
      "{} of its {} blocks {} on the device at the same time; another one starts when one of these ends",
      resident, launch.grid.count(), resident == 1 ? "fits" : "fit");
  endless.likely_cause =
      "the loop waits for other blocks, as in a barrier of all blocks or in a chain of blocks, and the "
      "launch "
      "is an ordinary one";
  endless.next_step =
      "put what needs the results of all blocks into a second kernel, or let the block that comes last do it "
      "(the atomic operation returns the count); a barrier of all blocks needs grid.sync() and "
      "cudaLaunchCooperativeKernel";
}

/// Blocks that cannot start while others wait for them are a frequent reason for an endless launch of a
/// kernel with a loop that waits.
void explain_step_limit(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault,
                        const harness::Job& job, const SourceText& source, Diagnostic& endless) {
  const vgpu::LaunchRecord* launch = launch_with(session, fault);
  if (launch == nullptr) return;
  if (fault.detail == vgpu::kManyBlocks) return explain_many_blocks(*launch, job, endless);
  const std::uint64_t resident = std::uint64_t{launch->occupancy.blocks_per_sm} * session.sm_count;
  if (fault.detail == vgpu::kWaitsInVain) {
    if (resident != 0 && launch->grid.count() > resident)
      explain_blocks_that_wait(*launch, resident, endless);
    return;
  }
  const bool can_wait = first_use(source, "while") || first_use(source, "this_grid");
  if (resident == 0 || launch->grid.count() <= resident || !can_wait) return;
  endless.likely_cause += fmt::format(
      "; or blocks wait for each other: {} of the {} blocks fit on the device at the same time, and the "
      "others cannot start before one of these ends",
      resident, launch->grid.count());
  endless.next_step +=
      "; for a barrier of all blocks, launch at most as many blocks as fit, with cudaLaunchCooperativeKernel";
}

/// An array of the job with as many elements as the allocation has bytes.
bool has_bytes_for_elements(const vgpu::Fault& fault, const harness::Job& job) {
  const auto matches = [&](const Shape& shape) {
    return element_count(shape) > 1 && element_count(shape) == fault.nearest->size_bytes;
  };
  return std::any_of(job.inputs.begin(), job.inputs.end(),
                     [&](const auto& one) { return matches(one.shape); }) ||
         std::any_of(job.outputs.begin(), job.outputs.end(),
                     [&](const auto& one) { return matches(one.shape); });
}

/// ", in line 12": where the program allocated the memory.
std::string allocation_line(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault,
                            const SourceText& source) {
  const auto memory = session.memory.find(fault.nearest->start);
  Diagnostic place;
  if (memory != session.memory.end())
    locate(place, memory->second.allocated.file, memory->second.allocated.line, source);
  return place.source_line.empty() ? "" : fmt::format(", in line {}", place.where->line);
}

void name_size_in_elements(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault,
                           const SourceText& source, Diagnostic& outside) {
  outside.likely_cause = fmt::format(
      "the memory is allocated with {} bytes{}, the number of the array's elements: the size lacks the "
      "factor sizeof(float)",
      fault.nearest->size_bytes, allocation_line(session, fault, source));
  outside.next_step = "pass the size in bytes: cudaMalloc(&pointer, n * sizeof(float))";
}

/// "16 × 2"
std::string extents(const vgpu::Dim3& of) {
  return of.y == 1 && of.z == 1 ? fmt::format("{}", of.x) : fmt::format("{} × {}", of.x, of.y);
}

/// Blocks with less than a warp's threads, in a grid of a block's usual size.
bool has_exchanged_grid(const vgpu::LaunchRecord& launch) {
  constexpr std::uint64_t kLanes = 32, kMostThreads = 1024;
  const std::uint64_t blocks = launch.grid.count();
  return launch.block.count() < kLanes && blocks % kLanes == 0 && blocks <= kMostThreads;
}

/// Whole blocks leave the array: the grid, or the order of the launch's arguments, is wrong.
void explain_by_grid(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault,
                     Diagnostic& outside) {
  const vgpu::LaunchRecord* launch = launch_with(session, fault);
  const vgpu::Dim3 first{0, 0, 0};
  if (fault.nearest && fault.address < fault.nearest->start) return;  // of an index that is negative
  if (launch == nullptr || !fault.nearest || fault.block == first || fault.thread != first) return;
  if (has_exchanged_grid(*launch)) {
    outside.likely_cause =
        fmt::format("grid and block are exchanged: the launch has {} blocks of {} thread{}",
                    extents(launch->grid), extents(launch->block), launch->block.count() == 1 ? "" : "s");
    outside.next_step = "pass the grid first, then the block: kernel<<<grid, block>>>(…)";
    return;
  }
  if (outside.likely_cause.find(" of the index is `") != std::string::npos) return;  // untested_index()
  outside.likely_cause += fmt::format(
      "; or the grid, {} blocks, is too large: already the first thread of block {} leaves the array",
      extents(launch->grid), dimensions(fault.block));
  outside.next_step += "; or launch only the blocks that the array needs";
}

/// A vector has no rows that a guard could test.
bool is_past_vector(const vgpu::Fault& fault, const harness::Job& job) {
  if (!fault.nearest || fault.address < fault.nearest->start) return false;
  const auto array = named_array(fault, job);
  return !array || array->shape.size() < 2 || array->shape[0] == 1 || array->shape[1] <= kMostComponents;
}

/// The index itself is wrong, or the grid is too large for the array.
void explain_by_index(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault,
                      const harness::Job& job, const SourceText& source, Diagnostic& outside) {
  const vgpu::LaunchRecord* launch = launch_with(session, fault);
  if (launch == nullptr || !is_past_vector(fault, job)) return explain_by_grid(session, fault, outside);
  auto mistake = mistake_of_index(fault, *launch, source);
  mistake ? advise(outside, *std::move(mistake)) : explain_by_grid(session, fault, outside);
}

/// Adds what the run shows about the cause of an access outside of all arrays.
void explain_outside(const CaseRun& run, const vgpu::Fault& fault, const harness::Job& job,
                     const SourceText& source, Diagnostic& outside) {
  if (fault.space == vgpu::ptx::Space::shared) {
    if (const auto* launch = launch_with(run.session, fault))
      explain_shared_fault(*launch, fault, source, job.entry, outside);
    return;
  }
  if (job.earlier.empty()) explain_without_guard(run.session, fault, job, outside);
  if (!job.earlier.empty() && leaves_own_buffer(fault, job)) name_kept_buffer(outside);
  if (job.earlier.empty() && leaves_own_buffer(fault, job) && has_bytes_for_elements(fault, job))
    name_size_in_elements(run.session, fault, source, outside);
  else if (auto mistake = mistake_of_indices(source, run.session.launches, job.entry);
           mistake && fault.nearest) {
    advise(outside, *std::move(mistake));
  } else
    explain_by_index(run.session, fault, job, source, outside);
}

/// The launch was stopped because of its races, which are reported as findings.
bool is_stopped_by_races(const vgpu::Fault& fault) {
  return fault.kind == vgpu::FaultKind::step_limit && fault.detail == vgpu::kRacesTooOften;
}

}  // namespace

bool is_endless(const vgpu::Fault& fault) {
  return fault.kind == vgpu::FaultKind::step_limit && !is_stopped_by_races(fault);
}

bool is_null_access(const vgpu::Fault& fault) {
  const bool is_global = fault.space == vgpu::ptx::Space::global || fault.space == vgpu::ptx::Space::generic;
  return fault.kind == vgpu::FaultKind::out_of_bounds && is_global && fault.address < kNullPageBytes;
}

std::vector<Diagnostic> diagnose_faults(const std::vector<const vgpu::Fault*>& faults,
                                        const harness::Job& job, const CaseRun& run, const SourceText& source,
                                        bool has_findings) {
  std::vector<Diagnostic> all;
  for (const vgpu::Fault* fault : faults) {
    if (is_stopped_by_races(*fault) && has_findings) continue;
    all.push_back(diagnose_fault(*fault, job, source));
    if (fault->kind == vgpu::FaultKind::step_limit)
      explain_step_limit(run.session, *fault, job, source, all.back());
    if (fault->kind == vgpu::FaultKind::out_of_bounds) explain_outside(run, *fault, job, source, all.back());
  }
  return all;
}

}  // namespace grader
