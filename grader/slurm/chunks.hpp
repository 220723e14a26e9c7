// How the items of a class are dealt out to the tasks of Slurm arrays. Pure. Covered by
// slurm/chunks_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

namespace grader::slurm {

/// Indices of a manifest's items, in the order in which they are graded.
using Items = std::vector<std::size_t>;

/// How many items one task grades at its first attempt: as few as keep the scheduler cheap. Slurm starts two
/// or three tasks a second by default, and each prepares its labs before it grades.
std::size_t items_per_task(std::size_t items);

/// Fewer from attempt to attempt (attempts count from 0), alone at last: an item that takes its grader with
/// it must not keep taking the same others along.
std::size_t items_per_retry(std::size_t first, unsigned attempt);

/// One after the other, `size` ≥ 1 to a chunk, the last may be smaller; each chunk in ascending order.
std::vector<Items> chunks(const Items& items, std::size_t size);

}  // namespace grader::slurm
