#include "report/health_text.hpp"

#include <algorithm>
#include <utility>

namespace grader {
namespace {

constexpr std::size_t kWords = 9, kNames = 14;  // columns

/// A window gets several lines; files and pipes get one, because people paste and search it.
std::string next_to_names(const std::string& text, const Terminal& terminal) {
  const std::string indent(kWords + kNames, ' ');
  const std::string safe = printable(text, terminal.unicode);
  if (!terminal.interactive) return safe + "\n";
  std::string block;
  for (const std::string& line : wrap(safe, terminal.width - std::min(terminal.width, indent.size())))
    block += (block.empty() ? "" : indent) + line + "\n";
  return block;
}

}  // namespace

std::string health_text(const HealthLine& line, const Terminal& terminal) {
  const auto& [word, ink] = line.health == Health::ok     ? std::pair{"ok", Ink::good}
                            : line.health == Health::warn ? std::pair{"warn", Ink::warning}
                                                          : std::pair{"missing", Ink::bad};
  std::string text = paint(terminal, ink, left(word, kWords, terminal)) + left(line.what, kNames, terminal) +
                     next_to_names(line.finding, terminal);
  if (!line.advice.empty()) text += std::string(kWords + kNames, ' ') + next_to_names(line.advice, terminal);
  return text;
}

}  // namespace grader
