#include "report/hints.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/page_text.hpp"

namespace grader {
namespace {

constexpr std::string_view kOpen = "<details><summary>", kTitleEnd = "</summary>", kClose = "</details>";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

/// The last heading of the text, if it has one.
void take_section(std::string_view text, std::string& section) {
  constexpr std::string_view kHeading = "\n## ";
  const std::size_t at = text.rfind(kHeading);
  if (at != std::string_view::npos)
    section = trimmed(text.substr(at + kHeading.size(), text.find('\n', at + 1) - at - kHeading.size()));
}

}  // namespace

std::vector<Hint> hints_of(std::string_view markdown) {
  std::vector<Hint> hints;
  std::string section;
  while (true) {
    const std::size_t open = markdown.find(kOpen), title_end = markdown.find(kTitleEnd, open);
    const std::size_t close = markdown.find(kClose, title_end);
    if (open == std::string_view::npos || title_end == std::string_view::npos ||
        close == std::string_view::npos)
      return hints;
    take_section(markdown.substr(0, open), section);
    const std::size_t title = open + kOpen.size(), body = title_end + kTitleEnd.size();
    hints.push_back({section, trimmed(markdown.substr(title, title_end - title)),
                     trimmed(markdown.substr(body, close - body))});
    markdown.remove_prefix(close + kClose.size());
  }
}

std::optional<std::size_t> first_hint_of(const std::vector<Hint>& hints, std::string_view heading) {
  const auto first = std::find_if(hints.begin(), hints.end(),
                                  [&](const Hint& one) { return one.section.starts_with(heading); });
  if (first == hints.end()) return std::nullopt;
  return static_cast<std::size_t>(first - hints.begin());
}

std::string hint_text(const std::vector<Hint>& hints, std::size_t index, const Terminal& terminal) {
  if (index >= hints.size()) return "there are no more hints\n";
  const Hint& hint = hints[index];
  const std::string heading =
      fmt::format("Hint {} of {}, {}: {}", index + 1, hints.size(), hint.section, hint.title);
  std::string text;
  for (const std::string& line : wrap(spelled(printable(heading), terminal), terminal.width))
    text += paint(terminal, Ink::strong, line) + "\n";
  return text + page_text(hint.body, terminal);
}

}  // namespace grader
