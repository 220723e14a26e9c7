// The capabilities of the reader's terminal, and text that fits them. Meaning never depends on colour alone:
// a mark or a word always shows it, too. Untrusted text (names, source lines, program output) passes through
// printable(). Tested by report/terminal_test.cpp.
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

/// The inputs of the detection, so that tests can set them.
struct TerminalFacts {
  bool interactive = false;
  std::size_t window_columns = 0;  ///< 0 = unknown
  std::function<std::optional<std::string>(const char*)> environment;
};

/// Colour: only on a terminal, unless NO_COLOR is set or TERM is "dumb"; `choice` overrides. Width: COLUMNS,
/// otherwise the window, otherwise 80. Unicode: the locale's encoding is UTF-8 (LC_ALL, LC_CTYPE, LANG).
Terminal terminal_from(const TerminalFacts& facts, ColorChoice choice);
Terminal detect_terminal(int descriptor, ColorChoice choice);

enum class Ink { good, bad, warning, strong, quiet };
/// `text` in a colour, or unchanged if the terminal has no colour.
std::string paint(const Terminal& terminal, Ink ink, std::string_view text);

/// One line without characters that could control a terminal: control characters, bidirectional overrides and
/// invalid UTF-8 become '?', tabs and line ends become a blank. Without `unicode`, characters outside ASCII
/// are spelled in ASCII ("’" → "'") or become '?'.
std::string printable(std::string_view untrusted, bool unicode = true);

/// Like printable(), but different texts stay different: characters that printable() would replace, and
/// backslashes, become \xNN.
std::string distinct(std::string_view untrusted);

/// The columns of printable UTF-8 text: 1 per character, 2 per East Asian wide character, 0 per combining
/// character.
std::size_t columns(std::string_view text);
/// Cuts the text to at most `width` columns and marks the cut.
std::string cut(std::string_view text, std::size_t width, const Terminal& terminal);
/// cut() in a window. Files and pipes get the whole text, because their readers can search and wrap it.
std::string cut_in_window(std::string_view text, std::size_t width, const Terminal& terminal);
/// cut() and padding with blanks to exactly `width` columns, with the text on the left or right.
std::string left(std::string_view text, std::size_t width, const Terminal& terminal);
std::string right(std::string_view text, std::size_t width, const Terminal& terminal);

/// Words of `text` in lines of at most `width` columns; a longer word has a line of its own. At least one
/// line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Trusted text of the kit, in ASCII if the terminal does not support Unicode: "·" → "-", "×" → "x", "≤" →
/// "<=", "10⁻⁹" → "10^-9", …
std::string spelled(std::string_view text, const Terminal& terminal);

}  // namespace grader
