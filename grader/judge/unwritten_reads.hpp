// Reads of memory that nothing has written. Of the caller's outputs, a program may read the old contents if
// no result depends on them: it may store an element only if that changes it, for instance. A case in which
// the values are right nevertheless runs again with other old contents (kOldContents), and each result must
// be right again. Pure. Covered by tests/judge/unwritten_reads_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "judge/arrays.hpp"
#include "judge/judge.hpp"

namespace grader {

/// Words that old contents can consist of: each spoils other operations. 0 spoils products and &; the
/// greatest and the least float, which as ints are large and negative, spoil maxima and |, minima, and sums.
inline constexpr std::array<std::uint32_t, 3> kOldContents{0, 0x7F7FFFFF, 0xFF7FFFFF};

/// The caller's output that the finding is about; nullopt: it is about something else.
std::optional<NamedArray> read_output(const vgpu::Fault& finding, const harness::Job& job);

/// Whether a kernel uses the old contents of an output, as far as the virtual GPU can follow values: one of
/// them reaches memory, an address or a branch.
bool reads_old_outputs(const CaseRun& run, const harness::Job& job);

/// No result depends on the old contents: their reads are no findings.
void drop_reads_of_old_outputs(CaseRun& run, const harness::Job& job);

/// WG-M07 or WG-M08.
void describe_unwritten(const vgpu::Fault& finding, const harness::Job& job, const SourceText& source,
                        Diagnostic& diagnostic);

}  // namespace grader
