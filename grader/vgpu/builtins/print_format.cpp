#include "vgpu/builtins/print_format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace vgpu::exec {
namespace {

constexpr int kMaxWidth = 1024;  // characters; limits the output of one conversion

/// The parts of one %-conversion: %[flags][width][.precision][length]letter.
struct Conversion {
  std::string flags;
  int width = -1;
  int precision = -1;
  bool width_from_argument = false, precision_from_argument = false;
  bool is_long = false;
  char letter = 0;
  std::size_t length = 0;  ///< its number of characters in the format
};

int take_number(std::string_view format, std::size_t& at) {
  int value = 0;
  while (at < format.size() && format[at] >= '0' && format[at] <= '9') {
    // Limited at every digit, so that the product cannot overflow.
    value = std::min(value * 10 + (format[at] - '0'), kMaxWidth);
    ++at;
  }
  return value;
}

Conversion parse(std::string_view format) {
  Conversion c;
  std::size_t at = 1;
  const auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
  while (peek() != '\0' && std::strchr("-+ #0", peek()) != nullptr) c.flags += format[at++];
  if (peek() == '*') {
    c.width_from_argument = true;
    ++at;
  } else if (peek() >= '0' && peek() <= '9') {
    c.width = take_number(format, at);
  }
  if (peek() == '.') {
    ++at;
    if (peek() == '*') {
      c.precision_from_argument = true;
      ++at;
    } else {
      c.precision = take_number(format, at);
    }
  }
  while (peek() != '\0' && std::strchr("hlLqjzt", peek()) != nullptr) {
    // h and hh mean 4 bytes, because smaller integers are passed as int; all others mean 8.
    c.is_long |= format[at] != 'h';
    ++at;
  }
  c.letter = peek();
  c.length = std::min(at + 1, format.size());
  return c;
}

class Printer {
 public:
  explicit Printer(const PrintArguments& arguments) : arguments_(arguments) {}

  /// Appends the text of a conversion; false if it is unknown or its arguments are missing.
  bool print(Conversion c, std::string& to) {
    if (c.width_from_argument && !take_width(c.width, c.flags)) return false;
    if (c.precision_from_argument && !take_precision(c.precision)) return false;
    const std::string_view letter(&c.letter, 1);
    if (std::string_view("di").find(letter) != std::string_view::npos)
      return c.is_long ? number<long long>(c, "ll", to) : number<int>(c, "", to);
    if (std::string_view("uoxX").find(letter) != std::string_view::npos) {
      return c.is_long ? number<unsigned long long>(c, "ll", to) : number<unsigned>(c, "", to);
    }
    if (std::string_view("fFeEgGaA").find(letter) != std::string_view::npos) return number<double>(c, "", to);
    if (c.letter == 'c') return number<int>(c, "", to);
    if (c.letter == 'p') return number<void*>(c, "", to);
    return c.letter == 's' && text(c, to);
  }
  int taken() const { return taken_; }

 private:
  template <class T>
  bool take(T& value) {
    // vprintf's buffer has each argument at a multiple of its size.
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (!arguments_.read(offset_, &value, sizeof value)) return false;
    offset_ += sizeof value;
    ++taken_;
    return true;
  }
  /// C, section 7.21.6.1: a negative width is the flag - and its absolute value.
  bool take_width(int& width, std::string& flags) {
    if (!take(width)) return false;
    if (width < 0) flags += '-';
    width = static_cast<int>(std::min<std::int64_t>(std::abs(std::int64_t{width}), kMaxWidth));
    return true;
  }
  /// As in C, a negative precision counts as omitted.
  bool take_precision(int& precision) {
    if (!take(precision)) return false;
    precision = std::clamp(precision, -1, kMaxWidth);
    return true;
  }
  static std::string specification(const Conversion& c, const char* length) {
    std::string spec = "%" + c.flags;
    if (c.width >= 0) spec += std::to_string(c.width);
    if (c.precision >= 0) spec += '.' + std::to_string(c.precision);
    return spec + length + c.letter;
  }
  template <class T>
  bool number(const Conversion& c, const char* length, std::string& to) {
    T value{};
    if (!take(value)) return false;
    append(to, specification(c, length), value);
    return true;
  }
  bool text(const Conversion& c, std::string& to) {
    std::uint64_t address = 0;
    if (!take(address)) return false;
    append(to, specification(c, ""), arguments_.text(address).c_str());
    return true;
  }
  /// Safe, since the specification is built from checked parts.
  template <class T>
  static void append(std::string& to, const std::string& spec, T value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::array<char, 8192> buffer;
    const int written = std::snprintf(buffer.data(), buffer.size(), spec.c_str(), value);
#pragma GCC diagnostic pop
    if (written > 0)
      to.append(buffer.data(), std::min<std::size_t>(static_cast<std::size_t>(written), buffer.size() - 1));
  }

  const PrintArguments& arguments_;
  std::uint64_t offset_ = 0;
  int taken_ = 0;
};

}  // namespace

PrintResult print_format(const std::string& format, const PrintArguments& arguments) {
  PrintResult result;
  Printer printer(arguments);
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      result.text += format[at++];
      continue;
    }
    const Conversion conversion = parse(std::string_view(format).substr(at));
    if (conversion.letter == '%') {
      result.text += '%';
    } else if (!printer.print(conversion, result.text)) {
      result.text.append(format, at, conversion.length);
    }
    at += conversion.length;
  }
  result.conversions = printer.taken();
  return result;
}

}  // namespace vgpu::exec
