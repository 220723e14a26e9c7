// The file of results that the course kernels write (kernels/course/course.hpp), read back and compared.
// Plain C++20 with no library, so that `g++ results.cpp compare.cpp` builds it on a machine that has nothing
// else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace course {

struct Output {
  std::string launch, name;
  std::string type;  ///< "f32", "s32", …; "failed" when the launch failed
  std::size_t count = 0;
  std::string bound;  ///< "exact", "ulps" or "absolute"
  double amount = 0;  ///< how far a value may be from the true one
  std::string hash;   ///< of all values, instead of `bits`; of a failed launch, the error's name
  std::vector<std::uint64_t> bits;
};

/// Throws std::runtime_error with the line of what cannot be read.
std::vector<Output> read_results(std::istream& text);
std::vector<Output> read_results(const std::filesystem::path& file);

struct Comparison {
  std::string launch, output;
  bool agrees = false;
  std::string
      found;  ///< "1003 values equal", "at most 1 ulp apart, 4 allowed", "3 of 17 differ, the first …"
};

/// One for every output of `one` or `other`. Two results that may each be E from the true value agree when
/// they are at most 2 E apart; exact ones, when their bits are equal or both are NaN.
std::vector<Comparison> compare(const std::vector<Output>& one, const std::vector<Output>& other);

}  // namespace course
