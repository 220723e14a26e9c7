// Small jobs and answers for tests.
#pragma once

#include "harness/job.hpp"
#include "harness/messages.hpp"

namespace testing {

/// P (2×2) = M (2×3) × N (3×2), with numbers that a reader can multiply.
inline grader::harness::Job small_product() {
  return {.adapter = "tiled_matmul",
          .entry = "tiled_matmul",
          .scalars = {{"m", 2}, {"k", 3}, {"n", 2}},
          .inputs = {{"M", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"N", {3, 2}, {1, 0, 0, 1, 1, 1}}},
          .outputs = {{"P", {2, 2}}}};
}

inline grader::harness::Answer right_answer() {
  return {.outputs = {{"P", {2, 2}, {4, 5, 10, 11}}},
          .addresses = {0},
          .inputs = {{}, {}},
          .seconds = 1e-6,
          .problem = ""};
}

}  // namespace testing
