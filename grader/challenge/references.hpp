// Expected results in double precision, and how far floats may be from them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace challenge {

/// A sum of `terms` products or numbers, as a float program computes it in any order: the error is at most
/// terms · 2^-24 · the sum of absolute values, to first order (Higham, Accuracy and Stability of Numerical
/// Algorithms, 4.2). 2 more terms cover the product's own rounding and the higher orders.
class Sum {
 public:
  void add(double term) {
    value_ += term;
    absolute_ += std::abs(term);
    ++terms_;
  }
  /// False for NaN, too.
  bool accepts(float computed) const {
    return std::abs(computed - value_) <= (terms_ + 2) * 0x1.0p-24 * absolute_;
  }
  double value() const { return value_; }

 private:
  double value_ = 0, absolute_ = 0;
  int terms_ = 0;
};

/// Compares `computed` with expected(i) and describes the first element that is wrong.
template <class Expected>
std::string first_wrong(const std::vector<float>& computed, const std::string& size, Expected expected) {
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const Sum sum = expected(static_cast<int>(i));
    if (!sum.accepts(computed[i]))
      return size + ": element " + std::to_string(i) + " is " + std::to_string(computed[i]) + ", not " +
             std::to_string(sum.value());
  }
  return "";
}

}  // namespace challenge
