// Distributes the items of a class to the tasks of Slurm arrays. Pure. Covered by slurm/chunks_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

namespace grader::slurm {

/// Indices of a manifest's items, in the order in which they are graded.
using Items = std::vector<std::size_t>;

/// How many items one task grades at the first attempt: few, but enough that scheduling costs little. By
/// default Slurm starts two or three tasks per second, and each task prepares its labs before it grades.
std::size_t items_per_task(std::size_t items);

/// The number of items per task decreases with each attempt (counted from 0), finally to 1, so that an item
/// that crashes its grader does not repeatedly prevent the grading of the same other items.
std::size_t items_per_retry(std::size_t first, unsigned attempt);

/// Splits `items`, in their order, into chunks of `size` ≥ 1 items; the last chunk can be smaller. Each chunk
/// is sorted in ascending order.
std::vector<Items> chunks(const Items& items, std::size_t size);

}  // namespace grader::slurm
