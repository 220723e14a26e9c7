// What a value was computed from (vgpu/facts/terms.hpp), as a text of a line or two: sums of many terms are
// shortened to "M[0][0] * N[0][3] + M[0][1] * N[1][3] + … + M[0][15] * N[15][3] (16 terms)". Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "vgpu/facts/terms.hpp"

namespace grader {

/// An element of an array.
struct NamedElement {
  std::size_t array = 0;  ///< any number, different for each array
  std::size_t index = 0;  ///< linear

  friend bool operator==(const NamedElement&, const NamedElement&) = default;
};

struct ElementNames {
  /// The element that the word is; array kNoArray: none, the word is shown as its value.
  static constexpr std::size_t kNoArray = static_cast<std::size_t>(-1);
  std::function<NamedElement(const vgpu::Terms::Word&)> of_word;
  std::function<std::string(const NamedElement&)> text;
};

/// Stands for a word that nothing had written (vgpu/state/unwritten.hpp).
inline constexpr std::string_view kWithoutValue = "memory without a value";

/// Empty: nothing is known, or no short text exists.
std::string expression_text(const vgpu::Terms& terms, vgpu::TermId term, const ElementNames& names);

}  // namespace grader
