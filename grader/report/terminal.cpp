#include "report/terminal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.hpp"

namespace grader {
namespace {

constexpr std::size_t kDefaultColumns = 80;
constexpr std::size_t kMinColumns = 40;  // lines of a narrower page would break anyway
constexpr std::size_t kMaxColumns = 160;

bool is_utf8(const TerminalFacts& facts) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    auto value = facts.environment(name);
    if (!value || value->empty()) continue;
    std::transform(value->begin(), value->end(), value->begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return value->find("utf-8") != std::string::npos || value->find("utf8") != std::string::npos;
  }
  return false;
}

std::size_t width_from(const TerminalFacts& facts) {
  std::size_t width = facts.window_columns;
  if (const auto text = facts.environment("COLUMNS")) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc{} && end == text->data() + text->size() && value > 0) width = value;
  }
  return width == 0 ? kDefaultColumns : std::clamp(width, kMinColumns, kMaxColumns);
}

bool controls_terminal(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) ||  // C0, DEL, C1
         (c >= 0x200B && c <= 0x200F) ||         // zero width, direction marks
         (c >= 0x2028 && c <= 0x202E) ||         // line separators, bidirectional overrides
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c == kBrokenCharacter ||
         (c & 0xFFFEU) == 0xFFFE;  // noncharacters, and forbidden in XML
}

/// The wide blocks that occur in names, from Unicode Standard Annex 11.
bool is_wide(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kWide = {{{0x1100, 0x115F},
                                                                   {0x2E80, 0xA4CF},
                                                                   {0xAC00, 0xD7A3},
                                                                   {0xF900, 0xFAFF},
                                                                   {0xFE30, 0xFE6F},
                                                                   {0xFF00, 0xFF60},
                                                                   {0xFFE0, 0xFFE6},
                                                                   {0x1F300, 0x1FAFF},
                                                                   {0x20000, 0x3FFFD}}};
  return std::any_of(kWide.begin(), kWide.end(),
                     [&](auto range) { return c >= range.first && c <= range.second; });
}

std::size_t columns_of(char32_t c) {
  const bool combining =
      (c >= 0x0300 && c <= 0x036F) || (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F);
  return combining ? 0 : is_wide(c) ? 2 : 1;
}

/// The longest prefix of at most `width` columns.
std::string_view prefix(std::string_view text, std::size_t width) {
  std::string_view rest = text;
  for (std::size_t used = 0; !rest.empty();) {
    std::string_view next = rest;
    used += columns_of(take_character(next));
    if (used > width) break;
    rest = next;
  }
  return text.substr(0, text.size() - rest.size());
}

/// The spelling of a character outside ASCII; "?" if it has none.
std::string_view ascii_spelling(std::string_view character) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 26> kSpellings = {
      {{"·", "-"},  {"×", "x"},  {"≤", "<="}, {"≥", ">="}, {"–", "-"},  {"−", "-"},  {"…", "..."},
       {"‘", "'"},  {"’", "'"},  {"“", "\""}, {"”", "\""}, {"→", "->"}, {"µ", "u"},  {"±", "+/-"},
       {"⁰", "^0"}, {"¹", "^1"}, {"²", "^2"}, {"³", "^3"}, {"⁴", "^4"}, {"⁵", "^5"}, {"⁶", "^6"},
       {"⁷", "^7"}, {"⁸", "^8"}, {"⁹", "^9"}, {"⁻", "^-"}, {"⁺", "^+"}}};
  const auto found = std::find_if(kSpellings.begin(), kSpellings.end(),
                                  [&](const auto& spelling) { return spelling.first == character; });
  return found != kSpellings.end() ? found->second : "?";
}

/// A run of superscripts has one '^': "10⁻⁹" → "10^-9".
std::string in_ascii(std::string_view text) {
  std::string ascii;
  bool was_raised = false;
  while (!text.empty()) {
    const std::string_view before = text;
    const bool is_ascii = take_character(text) < 0x80;
    const std::string_view character = before.substr(0, before.size() - text.size());
    const std::string_view spelling = is_ascii ? character : ascii_spelling(character);
    const bool is_raised = !is_ascii && spelling.starts_with('^');
    ascii += spelling.substr(is_raised && was_raised ? 1 : 0);
    was_raised = is_raised;
  }
  return ascii;
}

std::string blanks(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, columns(text)), ' ');
}

}  // namespace

Terminal terminal_from(const TerminalFacts& facts, ColorChoice choice) {
  const auto no_color = facts.environment("NO_COLOR");
  const bool refused = (no_color && !no_color->empty()) || facts.environment("TERM") == "dumb";
  Terminal terminal;
  terminal.interactive = facts.interactive;
  terminal.width = width_from(facts);
  terminal.unicode = is_utf8(facts);
  terminal.color =
      choice == ColorChoice::always || (choice == ColorChoice::automatic && facts.interactive && !refused);
  return terminal;
}

Terminal detect_terminal(int descriptor, ColorChoice choice) {
  TerminalFacts facts;
  facts.interactive = ::isatty(descriptor) == 1;
  winsize size{};
  if (facts.interactive && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0) facts.window_columns = size.ws_col;
  facts.environment = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  return terminal_from(facts, choice);
}

std::string paint(const Terminal& terminal, Ink ink, std::string_view text) {
  if (!terminal.color) return std::string(text);
  // ECMA-48 select graphic rendition: green, red, yellow, bold, faint.
  constexpr std::array<const char*, 5> kCodes = {"32", "1;31", "33", "1", "2"};
  return std::string("\x1b[") + kCodes.at(static_cast<std::size_t>(ink)) + "m" + std::string(text) +
         "\x1b[0m";
}

std::string printable(std::string_view untrusted, bool unicode) {
  std::string safe;
  while (!untrusted.empty()) {
    const std::string_view before = untrusted;
    const char32_t c = take_character(untrusted);
    if (c == '\t' || c == '\n' || c == '\r') {
      safe += ' ';
    } else if (controls_terminal(c)) {
      safe += '?';
    } else {
      safe += before.substr(0, before.size() - untrusted.size());
    }
  }
  return unicode ? safe : in_ascii(safe);
}

std::string distinct(std::string_view untrusted) {
  std::string safe;
  while (!untrusted.empty()) {
    const std::string_view before = untrusted;
    const char32_t c = take_character(untrusted);
    const std::string_view bytes = before.substr(0, before.size() - untrusted.size());
    if (c != U'\\' && !controls_terminal(c))
      safe += bytes;
    else
      for (const char byte : bytes) safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return safe;
}

std::size_t columns(std::string_view text) {
  std::size_t total = 0;
  while (!text.empty()) total += columns_of(take_character(text));
  return total;
}

std::string cut(std::string_view text, std::size_t width, const Terminal& terminal) {
  if (columns(text) <= width) return std::string(text);
  const std::string_view mark = terminal.unicode ? "…" : "~";
  if (width == 0) return {};
  return std::string(prefix(text, width - 1)) + std::string(mark);
}

std::string cut_in_window(std::string_view text, std::size_t width, const Terminal& terminal) {
  return terminal.interactive ? cut(text, width, terminal) : std::string(text);
}

std::string left(std::string_view text, std::size_t width, const Terminal& terminal) {
  const std::string shown = cut(text, width, terminal);
  return shown + blanks(shown, width);
}

std::string right(std::string_view text, std::size_t width, const Terminal& terminal) {
  const std::string shown = cut(text, width, terminal);
  return blanks(shown, width) + shown;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!lines.back().empty() && columns(lines.back()) + 1 + columns(word) > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string spelled(std::string_view text, const Terminal& terminal) {
  return terminal.unicode ? std::string(text) : in_ascii(text);
}

}  // namespace grader
