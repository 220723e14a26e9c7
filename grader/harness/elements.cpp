#include "harness/elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/contains.hpp"
#include "vgpu/state/unwritten.hpp"

namespace grader::harness {

static_assert(sizeof(float) == sizeof(std::int32_t));

namespace {

constexpr std::uint32_t kPoison = ~std::uint32_t{0};

bool is_poison_word(std::uint32_t word) { return word == kPoison || contains(vgpu::kUnwrittenWords, word); }

std::uint32_t integer_word(float value) {
  constexpr float kBeyond = 0x1p40F;  // no i32 is near it, and the conversion below is defined
  return std::fabs(value) < kBeyond ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) : kPoison;
}

}  // namespace

std::uint32_t word_of(float value, Element element) {
  return element == Element::i32 ? integer_word(value) : std::bit_cast<std::uint32_t>(value);
}

Words encoded(const std::vector<float>& values, Element element) {
  Words words(values.size());
  std::transform(values.begin(), values.end(), words.begin(),
                 [element](float value) { return word_of(value, element); });
  return words;
}

bool is_poison(float value) { return is_poison_word(std::bit_cast<std::uint32_t>(value)); }

std::vector<float> decoded(const Words& words, Element element) {
  std::vector<float> values(words.size());
  std::transform(words.begin(), words.end(), values.begin(), [element](std::uint32_t word) {
    const bool is_number = element == Element::i32 && !is_poison_word(word);
    return is_number ? static_cast<float>(static_cast<std::int32_t>(word)) : std::bit_cast<float>(word);
  });
  return values;
}

}  // namespace grader::harness
