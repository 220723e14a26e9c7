// What the reader's terminal can show, and text that fits it. Meaning never depends on colour: a mark or a
// word always says the same. Untrusted text (names, source lines, what a program printed) passes through
// printable(). Covered by report/terminal_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

enum class ColorChoice { automatic, always, never };

struct Terminal {
  std::size_t width = 80;  ///< columns
  bool interactive = false;
  bool color = false;
  bool unicode = true;
};

/// What detection looks at, so that tests can say it.
struct TerminalFacts {
  bool interactive = false;
  std::size_t window_columns = 0;  ///< 0 = unknown
  std::function<std::optional<std::string>(const char*)> environment;
};

/// Colour: only on a terminal, unless NO_COLOR is set or TERM is "dumb"; `choice` overrides. Width: COLUMNS,
/// else the window, else 80. Unicode: the locale's encoding is UTF-8 (LC_ALL, LC_CTYPE, LANG).
Terminal terminal_from(const TerminalFacts& facts, ColorChoice choice);
Terminal detect_terminal(int descriptor, ColorChoice choice);

enum class Ink { good, bad, warning, strong, quiet };
/// `text` in a colour, or as it is where the terminal shows none.
std::string paint(const Terminal& terminal, Ink ink, std::string_view text);

/// One line without anything that could steer a terminal: control characters, bidirectional overrides and
/// broken UTF-8 become '?', tabs and line ends a blank. Without `unicode`, non-ASCII becomes '?' too.
std::string printable(std::string_view untrusted, bool unicode = true);

/// The same, but different texts stay different: what printable() would replace, and backslashes, become
/// \xNN.
std::string distinct(std::string_view untrusted);

/// Columns that printable UTF-8 text takes: 1 a character, 2 for East Asian wide characters, 0 for combining
/// ones.
std::size_t columns(std::string_view text);
/// The text cut to at most `width` columns (the cut is marked) …
std::string cut(std::string_view text, std::size_t width, const Terminal& terminal);
/// … and padded with blanks to exactly `width`.
std::string left(std::string_view text, std::size_t width, const Terminal& terminal);
std::string right(std::string_view text, std::size_t width, const Terminal& terminal);

/// Words of `text` in lines of at most `width` columns; a longer word stands alone. At least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Trusted text of the kit in ASCII where the terminal knows no more: "·" → "-", "×" → "x", "≤" → "<=", …
std::string spelled(std::string_view text, const Terminal& terminal);

}  // namespace grader
