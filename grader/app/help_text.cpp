#include "app/help_text.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "report/terminal.hpp"

namespace grader::app {
namespace {

/// The lines of a paragraph become one line. Only such lines are this long without an indentation.
std::vector<std::string> help_lines(const std::string& help) {
  constexpr std::size_t kParagraph = 80;
  std::istringstream stream(help);
  std::vector<std::string> lines;
  bool continues = false;
  for (std::string line; std::getline(stream, line);) {
    const bool is_text = !line.empty() && line.front() != ' ' && !line.starts_with("Usage:");
    if (continues && is_text)
      lines.back() += " " + line;
    else
      lines.push_back(line);
    continues = is_text && line.size() > kParagraph;
  }
  return lines;
}

/// A line without the descriptions column has no `gap`: a paragraph, or an example, which must stay whole so
/// that it can be copied.
std::string folded(const std::string& line, std::size_t width) {
  constexpr std::size_t kNarrowest = 24, kBelow = 6;
  std::size_t indent = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", indent);
  if (indent > 0 && gap == std::string::npos && line.substr(indent).starts_with("warpgrade "))
    return line + "\n";
  std::string text, before = line.substr(0, indent);
  if (indent > 0 && gap != std::string::npos) {
    indent = line.find_first_not_of(' ', gap);
    before = line.substr(0, indent);
    if (indent + kNarrowest > width) {  // the description has lines of its own
      text = line.substr(0, gap) + "\n";
      before = std::string(kBelow, ' ');
    }
  }
  for (const std::string& part : wrap(line.substr(indent), width - before.size())) {
    text += before + part + "\n";
    before = std::string(before.size(), ' ');
  }
  return text;
}

}  // namespace

std::string wrapped_help(const std::string& help, std::size_t window) {
  constexpr std::size_t kWidest = 100, kShortest = 40;
  const std::size_t width = std::clamp(window, kShortest, kWidest);
  std::string text;
  for (const std::string& line : help_lines(help))
    text += columns(line) <= width ? line + "\n" : folded(line, width);
  return text;
}

}  // namespace grader::app
