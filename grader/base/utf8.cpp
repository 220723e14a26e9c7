#include "base/utf8.hpp"

#include <array>
#include <cstddef>

namespace grader {

char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80       ? 1
                             : lead >> 5 == 6  ? 2
                             : lead >> 4 == 14 ? 3
                             : lead >> 3 == 30 ? 4
                                               : 0;
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  constexpr std::array<unsigned, 5> kLeadMask = {0, 0x7F, 0x1F, 0x0F, 0x07};

  char32_t value = length == 0 ? kBrokenCharacter : lead & kLeadMask.at(length);
  bool good = length != 0 && length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0U) == 0x80;
    value = value << 6U | (byte(i) & 0x3FU);
  }
  good = good && value >= kSmallest.at(length) && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  text.remove_prefix(good ? length : 1);
  return good ? value : kBrokenCharacter;
}

}  // namespace grader
