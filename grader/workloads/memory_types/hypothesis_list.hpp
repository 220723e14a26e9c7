// A list of typical mistakes of one job, and what is added to it. Covered by workload_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/memory_types/workload.hpp"

namespace grader::memory_types {

using Offset = std::ptrdiff_t;

class HypothesisList {
 public:
  explicit HypothesisList(const harness::Job& job) : image_(image_job(job)), output_(job.outputs[0].name) {}

  const ImageJob& image() const { return image_; }

  void add(std::string code, std::string pattern, std::string likely_cause, std::string next_step,
           std::function<double(std::size_t)> values) {
    all_.push_back({std::move(code), std::move(pattern), std::move(likely_cause), std::move(next_step),
                    output_, std::move(values)});
  }

  /// The mistake that was added last can be seen in a single element.
  void accept_one_element() { all_.back().evidence = 1; }

  /// `element(row, column)` is the result of the mistake.
  void add_pixels(std::string code, std::string pattern, std::string likely_cause, std::string next_step,
                  std::function<double(Offset, Offset)> element) {
    add(std::move(code), std::move(pattern), std::move(likely_cause), std::move(next_step),
        [element = std::move(element), width = image_.width](std::size_t i) {
          // If sums are exact, tolerances do not cover the rounding of the mistake's value to float.
          return static_cast<float>(element(static_cast<Offset>(i / width), static_cast<Offset>(i % width)));
        });
  }

  std::vector<Hypothesis> take() { return std::move(all_); }

 private:
  ImageJob image_;
  std::string output_;
  std::vector<Hypothesis> all_;
};

/// Of count_bright(), which counts the bright pixels of several images.
void add_count_mistakes(HypothesisList& list, const harness::Job& job);
/// Of most_frequent(), which stores the most frequent level of each window.
void add_level_mistakes(HypothesisList& list);

}  // namespace grader::memory_types
