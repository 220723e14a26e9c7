// Reads and compares the files of results that the course kernels write (kernels/course/course.hpp). Plain
// C++20 without libraries, so that `g++ results.cpp compare.cpp` builds it on any machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace course {

struct Output {
  std::string launch, name;
  std::string type;  ///< "f32", "s32", …; "failed" if the launch failed
  std::size_t count = 0;
  std::string bound;  ///< "exact", "ulps" or "absolute"
  double amount = 0;  ///< the permitted distance of a value from the true one
  std::string hash;   ///< of all values, instead of `bits`; the error's name if the launch failed
  std::vector<std::uint64_t> bits;
};

/// Throws std::runtime_error with the line that cannot be read.
std::vector<Output> read_results(std::istream& text);
std::vector<Output> read_results(const std::filesystem::path& file);

struct Comparison {
  std::string launch, output;
  bool agrees = false;
  std::string
      found;  ///< "1003 values equal", "at most 1 ulp apart, 4 allowed", "3 of 17 differ, the first …"
};

/// One comparison for every output of `one` or `other`. If each result may differ from the true value by E,
/// two results agree if they differ by at most 2 E. Exact results agree if their bits are equal or both are
/// NaN.
std::vector<Comparison> compare(const std::vector<Output>& one, const std::vector<Output>& other);

}  // namespace course
