// For tests of tensor instructions: matrices of bits, where the PTX ISA manual (9.7.14.5) says that mma's
// elements lie, and what an H200 makes of sums of products (0022-tensor-cores.md), all said in another way
// than the virtual GPU does.
#pragma once

#include <cmath>
#include <random>

#include "vgpu/gpu.hpp"

namespace test::tensor {

struct MmaShape {
  int m = 0, n = 0, k = 0;
  std::string text() const {
    return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  }
};

/// Row by row, each element's bits in 64.
struct BitMatrix {
  BitMatrix(int row_count, int column_count)
      : rows(row_count), columns(column_count), bits(static_cast<std::size_t>(row_count) * column_count) {}
  std::uint64_t& at(int row, int column) { return bits[number(row, column)]; }
  std::uint64_t at(int row, int column) const { return bits[number(row, column)]; }
  std::size_t number(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }

  int rows, columns;
  std::vector<std::uint64_t> bits;
};

struct RowColumn {
  int row, column;
};

/// Element a_i of A, as the manual's formulas have it for each shape and element size.
inline RowColumn place_in_a(MmaShape shape, int element_bytes, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  const auto lower_if = [&](bool is_lower) { return is_lower ? group + 8 : group; };
  if (element_bytes == 1) {
    if (shape.m == 8) return {group, thread * 4 + (i & 3)};
    if (shape.k == 16) return {lower_if(i >= 4), thread * 4 + (i & 3)};
    return {lower_if(!(i < 4 || (i >= 8 && i < 12))), thread * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  }
  if (element_bytes == 2) {
    if (shape.k == 8) return {lower_if(i >= 2), thread * 2 + (i & 1)};
    return {lower_if(!(i < 2 || (i >= 4 && i < 6))), thread * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  }
  if (shape.m == 8) return {group, thread};
  if (shape.k == 16) return {lower_if(i % 2 != 0), i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread};
  return {lower_if(i == 1 || i == 3), i < 2 ? thread : thread + 4};
}

inline RowColumn place_in_b(MmaShape shape, int element_bytes, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  if (element_bytes == 1) return {thread * 4 + (i & 3) + (i >= 4 ? 16 : 0), group};
  if (element_bytes == 2) return {thread * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
  return {shape.k == 4 ? thread : thread + 4 * i, group};
}

inline RowColumn place_in_c(MmaShape shape, int /*element_bytes*/, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  return {shape.m == 16 && i >= 2 ? group + 8 : group, thread * 2 + (i & 1)};
}

using PlaceOf = RowColumn (*)(MmaShape, int, int, int);

/// The registers of a warp that hold the matrix: register after register, 32 lanes each.
inline std::vector<std::byte> registers_of(const BitMatrix& matrix, MmaShape shape, int element_bytes,
                                           PlaceOf place) {
  const std::size_t count = matrix.bits.size() / 32;  // elements per lane
  const std::size_t register_bytes = element_bytes == 8 ? 8 : 4, in_register = register_bytes / element_bytes;
  std::vector<std::byte> bytes(matrix.bits.size() * element_bytes);
  for (int lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < count; ++i) {
      const RowColumn at = place(shape, element_bytes, lane, static_cast<int>(i));
      const std::uint64_t value = matrix.at(at.row, at.column);
      const std::size_t to = (i / in_register * 32 + lane) * register_bytes + i % in_register * element_bytes;
      std::memcpy(bytes.data() + to, &value, element_bytes);
    }
  }
  return bytes;
}

inline BitMatrix matrix_of(const std::vector<std::byte>& bytes, int rows, int columns, MmaShape shape,
                           int element_bytes, PlaceOf place) {
  BitMatrix matrix(rows, columns);
  const std::size_t register_bytes = element_bytes == 8 ? 8 : 4, in_register = register_bytes / element_bytes;
  for (int lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < matrix.bits.size() / 32; ++i) {
      const RowColumn at = place(shape, element_bytes, lane, static_cast<int>(i));
      const std::size_t from =
          (i / in_register * 32 + lane) * register_bytes + i % in_register * element_bytes;
      std::memcpy(&matrix.at(at.row, at.column), bytes.data() + from, element_bytes);
    }
  }
  return matrix;
}

/// A binary format of at most 32 bits.
struct FloatFormat {
  const char* name;
  int bytes, exponent_bits, digits;  ///< fraction digits
  int ignored_bits = 0;              ///< at the lower end of a register

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// The element's exponent, not normalised for subnormal numbers.
  int exponent(std::uint64_t bits) const {
    const int field = static_cast<int>(bits >> (digits + ignored_bits)) & ((1 << exponent_bits) - 1);
    return std::max(field, 1) - bias();
  }
  double value(std::uint64_t bits) const {
    const int field = static_cast<int>(bits >> (digits + ignored_bits)) & ((1 << exponent_bits) - 1);
    const auto fraction = static_cast<double>(bits >> ignored_bits & ((std::uint64_t{1} << digits) - 1));
    const bool is_negative = (bits >> (digits + ignored_bits + exponent_bits) & 1U) != 0;
    const double magnitude = field == (1 << exponent_bits) - 1
                                 ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                                 : std::ldexp(field == 0 ? fraction : fraction + std::ldexp(1, digits),
                                              std::max(field, 1) - bias() - digits);
    return is_negative ? -magnitude : magnitude;
  }
};

inline constexpr FloatFormat kF16{"f16", 2, 5, 10};
inline constexpr FloatFormat kBf16{"bf16", 2, 8, 7};
inline constexpr FloatFormat kTf32{"tf32", 4, 8, 10, 13};
inline constexpr FloatFormat kF32{"f32", 4, 8, 23};

/// Sums as an H200 makes them.
class TensorSum {
 public:
  void add(double term, int exponent) {
    terms_.push_back({term, exponent});
    if (term != 0) largest_ = std::max(largest_, exponent);
  }
  /// Before it is rounded; all numbers here are exact in double.
  double value() const {
    double sum = 0;
    for (const Term& term : terms_) {
      const bool is_finite = std::isfinite(term.value);
      sum += is_finite ? std::ldexp(std::trunc(std::ldexp(term.value, 25 - largest_)), largest_ - 25)
                       : term.value;
    }
    return sum == 0 ? 0.0 : sum;  // never -0
  }

 private:
  struct Term {
    double value;
    int exponent;
  };
  std::vector<Term> terms_;
  int largest_ = -10'000;
};

/// To the next multiple of the last place towards zero, or to the nearest, even if there are two.
inline std::uint64_t narrowed(double sum, const FloatFormat& to) {
  if (std::isnan(sum)) return to.bytes == 4 ? 0x7FFFFFFF : 0x7FFF;
  const std::uint64_t sign = std::signbit(sum) ? std::uint64_t{1} << (8 * to.bytes - 1) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << to.exponent_bits) - 1) << to.digits;
  const double magnitude = std::fabs(sum);
  if (magnitude == 0) return sign;
  const int last_place =
      std::max(magnitude == HUGE_VAL ? 0 : std::ilogb(magnitude), 1 - to.bias()) - to.digits;
  const double places = std::ldexp(magnitude, -last_place);
  const double whole = to.bytes == 4 ? std::trunc(places) : std::nearbyint(places);
  const auto steps = std::isfinite(whole) ? static_cast<std::uint64_t>(whole) : 0;
  const int field = last_place + to.digits + to.bias();
  // A normal number's leading digit adds 1 to the field before.
  const std::uint64_t bits = (static_cast<std::uint64_t>(field - 1) << to.digits) + steps;
  return sign | (std::isinf(sum) || bits >= infinity ? infinity : bits);
}

/// D = A · B + C of floats.
inline BitMatrix float_product(const BitMatrix& a, const BitMatrix& b, const BitMatrix& c,
                               const FloatFormat& factor, const FloatFormat& addend,
                               const FloatFormat& result) {
  BitMatrix d(c.rows, c.columns);
  for (int row = 0; row < c.rows; ++row) {
    for (int column = 0; column < c.columns; ++column) {
      TensorSum sum;
      const double first = addend.value(c.at(row, column));
      // A half is made a single first, whose exponent is that of its leading digit.
      const bool is_widened = addend.bytes == 2 && first != 0 && std::isfinite(first);
      sum.add(first, is_widened ? std::ilogb(first) : addend.exponent(c.at(row, column)));
      for (int k = 0; k < a.columns; ++k) {
        const std::uint64_t x = a.at(row, k), y = b.at(k, column);
        sum.add(factor.value(x) * factor.value(y), factor.exponent(x) + factor.exponent(y));
      }
      d.at(row, column) = narrowed(sum.value(), result);
    }
  }
  return d;
}

/// Bits of numbers of many sizes, near each other in half of the cases so that sums cancel.
class RandomBits {
 public:
  explicit RandomBits(std::uint32_t seed) : random_(seed) {}

  /// `with_special`: infinities and NaN among them.
  std::uint64_t next(const FloatFormat& format, bool is_near_one, bool with_special) {
    const std::uint64_t mask = (std::uint64_t{1} << (8 * format.bytes)) - 1;
    std::uint64_t bits = random_() & mask;
    const int shift = format.digits + format.ignored_bits;
    const std::uint64_t fields = (std::uint64_t{1} << format.exponent_bits) - 1;
    if (is_near_one) {
      const std::uint64_t field = static_cast<std::uint64_t>(format.bias()) - 2 + random_() % 5;
      return (bits & ~(fields << shift)) | field << shift;
    }
    const bool is_special = (bits >> shift & fields) == fields;
    return is_special && !with_special ? bits & ~(std::uint64_t{1} << shift) : bits;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  BitMatrix matrix(int rows, int columns, const FloatFormat& format, bool is_near_one, bool with_special) {
    BitMatrix result(rows, columns);
    for (std::uint64_t& bits : result.bits) bits = next(format, is_near_one, with_special);
    return result;
  }

 private:
  std::mt19937 random_;
};

}  // namespace test::tensor
