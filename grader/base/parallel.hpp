// Divides independent work over the cores of the machine. The result cannot depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace grader {

/// Calls work(begin, end) for consecutive ranges that cover 0 … count - 1, on as many threads as the machine
/// has cores, but with at least `least` elements per range; the caller's thread is one of them. Returns when
/// all calls have returned. `work` must not throw.
void in_parallel(std::size_t count, std::size_t least,
                 const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace grader
