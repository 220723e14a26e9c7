#include "report/page_text.hpp"

namespace grader {
namespace {

/// "[WG-R01](WG-R01.md)" → "WG-R01"
std::string without_links(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t open = text.find('['), middle = text.find("](", open), close = text.find(')', middle);
    if (open == std::string_view::npos || middle == std::string_view::npos || close == std::string_view::npos)
      return plain.append(text);
    plain.append(text.substr(0, open)).append(text.substr(open + 1, middle - open - 1));
    text.remove_prefix(close + 1);
  }
  return plain;
}

bool starts_block(std::string_view line) {
  return line.empty() || line.starts_with("#") || line.starts_with("- ") || line.starts_with("|") ||
         line.starts_with("```");
}

/// "|---|---|"
bool is_rule(std::string_view line) {
  return line.starts_with("|") && line.find_first_not_of("|-: ") == std::string_view::npos;
}

class Page {
 public:
  explicit Page(const Terminal& terminal) : terminal_(terminal) {}

  void add(std::string_view line) {
    if (line.starts_with("```")) {
      flush();
      is_code_ = !is_code_;
    } else if (is_code_) {
      text_.append("    ").append(line).append("\n");
    } else if (!is_rule(line)) {
      add_words(line);
    }
  }

  std::string take() {
    flush();
    return spelled(text_, terminal_);
  }

 private:
  void add_words(std::string_view line) {
    if (starts_block(line)) flush();
    if (line.empty() || line.starts_with("#")) {
      text_.append(line.empty() ? "" : paint(terminal_, Ink::strong, line)).append("\n");
      return;
    }
    if (!block_.empty()) block_ += ' ';
    block_ += line;
  }

  void flush() {
    if (block_.empty()) return;
    const bool hangs = starts_block(block_);
    bool is_first = true;
    for (const std::string& line : wrap(without_links(block_), terminal_.width - (hangs ? 2 : 0))) {
      text_.append(hangs && !is_first ? "  " : "").append(line).append("\n");
      is_first = false;
    }
    block_.clear();
  }

  const Terminal& terminal_;
  std::string text_, block_;
  bool is_code_ = false;
};

}  // namespace

std::string page_text(std::string_view markdown, const Terminal& terminal) {
  Page page(terminal);
  while (!markdown.empty()) {
    const std::size_t end = markdown.find('\n');
    page.add(markdown.substr(0, end));
    markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);
  }
  return page.take();
}

}  // namespace grader
