#include "report/packed_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace grader {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

Lines lines_of(const Receipt& receipt, const PackedPage& page) {
  Lines lines = {{"your file", page.source}};
  for (const ReceiptSource& one : receipt.sources) lines.emplace_back(one.path, "SHA-256 " + one.sha256);
  lines.emplace_back("score", receipt.score
                                  ? fmt::format("{}/{} points in the check just now",
                                                points_text(*receipt.score), points_text(*receipt.max_score))
                                  : "not checked (--no-check)");
  if (!page.questions.empty()) lines.emplace_back("questions", page.questions);
  lines.emplace_back("packed at", receipt.packed_at);
  lines.emplace_back("program", "warpgrade " + receipt.version);
  return lines;
}

/// In a window, a value that does not fit next to its name has several lines, a digest two halves.
std::string line_text(const std::string& name, std::string value, std::size_t width,
                      const Terminal& terminal) {
  constexpr std::string_view kDigest = "SHA-256 ";
  constexpr std::size_t kHalf = 32;
  const std::size_t indent = 2 + width + 2;
  const std::size_t room = terminal.width - std::min(indent, terminal.width);
  value = printable(value, terminal.unicode);
  const std::string first = "  " + left(name, width, terminal) + "  ";
  if (!terminal.interactive || columns(value) <= room) return first + value + "\n";
  if (value.starts_with(kDigest)) value.insert(kDigest.size() + kHalf, " ");
  std::string text;
  for (const std::string& line : wrap(value, room))
    text += (text.empty() ? first : std::string(indent, ' ')) + line + "\n";
  return text;
}

}  // namespace

std::string packed_text(const Receipt& receipt, const PackedPage& page, const Terminal& terminal) {
  const auto paragraph = [&](const std::string& sentence) {
    std::string block;
    for (const std::string& line : wrap(printable(sentence, terminal.unicode), terminal.width))
      block += line + "\n";
    return block;
  };
  const Lines lines = lines_of(receipt, page);
  std::size_t width = 0;
  for (const auto& [name, value] : lines) width = std::max(width, columns(name));
  std::string text = paragraph(fmt::format("Lab {} is packed in {}", receipt.lab, page.package)) + "\n";
  for (const auto& [name, value] : lines) text += line_text(name, value, width, terminal);
  return text + "\n" +
         paragraph(
             fmt::format("Hand in {}. It contains the receipt as receipt.json, for information: points never "
                         "depend on it.",
                         page.package.substr(page.package.rfind('/') + 1)));
}

}  // namespace grader
