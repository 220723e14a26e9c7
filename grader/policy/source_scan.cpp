#include "policy/source_scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace grader::policy {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Reads characters with spliced lines joined, and counts lines.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { skip_splices(); }

  char peek(std::size_t ahead = 0) const {
    Cursor copy = *this;
    for (; ahead > 0; --ahead) copy.next();
    return copy.at_ < text_.size() ? text_[copy.at_] : '\0';
  }
  bool is_at_end() const { return at_ >= text_.size(); }
  int line() const { return line_; }

  char next() {
    if (is_at_end()) return '\0';
    const char c = text_[at_++];
    line_ += c == '\n' ? 1 : 0;
    skip_splices();
    return c;
  }
  /// Does not join spliced lines, as in raw strings; the cursor is after `end` afterwards.
  void skip_raw_to(const std::string& end) {
    const std::size_t found = std::min(text_.find(end, at_), text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(found), '\n'));
    at_ = std::min(found + end.size(), text_.size());
    skip_splices();
  }

 private:
  void skip_splices() {
    while (at_ + 1 < text_.size() && text_[at_] == '\\') {
      const std::size_t after = text_[at_ + 1] == '\r' ? 2 : 1;
      if (at_ + after >= text_.size() || text_[at_ + after] != '\n') return;
      at_ += after + 1;
      ++line_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

class Lexer {
 public:
  Lexer(std::string_view source, std::vector<Word>& words, std::vector<Include>& includes)
      : cursor_(source), words_(words), includes_(includes) {}

  void run() {
    while (!cursor_.is_at_end()) step();
  }

 private:
  void step() {
    const char c = cursor_.peek();
    if (c == '\n') in_directive_ = false, is_line_start_ = true;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return void(cursor_.next());
    if (c == '/' && cursor_.peek(1) == '/') return skip_line_comment();
    if (c == '/' && cursor_.peek(1) == '*') return skip_block_comment();
    const bool was_line_start = std::exchange(is_line_start_, false);
    if (was_line_start && (c == '#' || (c == '%' && cursor_.peek(1) == ':'))) return read_directive();
    if (starts_word(c)) return read_word();
    if (c == '"' || c == '\'') return skip_quoted(cursor_.next());
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return read_number();
    words_.push_back({std::string(1, c), cursor_.line(), in_directive_});
    cursor_.next();
  }

  void skip_line_comment() {
    while (!cursor_.is_at_end() && cursor_.peek() != '\n') cursor_.next();
  }

  void skip_block_comment() {
    cursor_.next(), cursor_.next();
    while (!cursor_.is_at_end() && !(cursor_.peek() == '*' && cursor_.peek(1) == '/')) cursor_.next();
    cursor_.next(), cursor_.next();
  }

  void skip_quoted(char quote) {
    while (!cursor_.is_at_end() && cursor_.peek() != quote && cursor_.peek() != '\n')
      if (cursor_.next() == '\\') cursor_.next();
    if (cursor_.peek() == quote) cursor_.next();
  }

  /// Digits with their separators: 1'000 is not a character literal.
  void read_number() {
    const int line = cursor_.line();
    std::string text;
    // A digit separator does not begin a character literal (C++ standard, [lex.icon]).
    while (continues_word(cursor_.peek()) || cursor_.peek() == '.' ||
           (cursor_.peek() == '\'' && continues_word(cursor_.peek(1))))
      text += cursor_.next();
    words_.push_back({std::move(text), line, in_directive_});
  }

  void read_word() {
    const int line = cursor_.line();
    std::string text;
    while (continues_word(cursor_.peek())) text += cursor_.next();
    static constexpr std::array<std::string_view, 5> kRaw{"R", "LR", "uR", "UR", "u8R"};
    if (cursor_.peek() == '"' && std::find(kRaw.begin(), kRaw.end(), text) != kRaw.end())
      return skip_raw_string();
    words_.push_back({std::move(text), line, in_directive_});
  }

  void skip_raw_string() {
    cursor_.next();
    std::string delimiter;
    // A delimiter has at most 16 characters (C++ standard, [lex.string]).
    while (!cursor_.is_at_end() && cursor_.peek() != '(' && delimiter.size() < 17)
      delimiter += cursor_.next();
    cursor_.skip_raw_to(")" + delimiter + "\"");
  }

  void read_directive() {
    // `%:` is another spelling of `#` (C++ standard, [lex.digraph]).
    if (cursor_.next() == '%') cursor_.next();
    in_directive_ = true;
    const int line = cursor_.line();
    skip_blanks();
    std::string name;
    while (continues_word(cursor_.peek())) name += cursor_.next();
    if (name == "if" || name == "ifdef" || name == "ifndef") ++conditions_;
    if (name == "endif") --conditions_;
    // GCC and Clang also accept the extensions #include_next and #import.
    if (conditions_ <= 0 && (name == "include" || name == "include_next" || name == "import"))
      read_header(line);
  }

  void skip_blanks() {
    for (;;) {
      if (cursor_.peek() == '/' && cursor_.peek(1) == '*')
        skip_block_comment();
      else if (cursor_.peek() == ' ' || cursor_.peek() == '\t')
        cursor_.next();
      else
        return;
    }
  }

  void read_header(int line) {
    skip_blanks();
    const char open = cursor_.peek();
    std::string header;
    if (open == '<' || open == '"') {
      const char close = open == '<' ? '>' : '"';
      cursor_.next();
      while (!cursor_.is_at_end() && cursor_.peek() != close && cursor_.peek() != '\n')
        header += cursor_.next();
    }
    includes_.push_back({std::move(header), line});
    while (!cursor_.is_at_end() && cursor_.peek() != '\n') cursor_.next();
  }

  Cursor cursor_;
  std::vector<Word>& words_;
  std::vector<Include>& includes_;
  bool is_line_start_ = true, in_directive_ = false;
  int conditions_ = 0;  ///< #if that have no #endif yet
};

}  // namespace

SourceScan::SourceScan(std::string_view source) { Lexer(source, words_, includes_).run(); }

int SourceScan::line_of(std::string_view name) const {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; !name.empty(); name.remove_prefix(std::min(end + 1, name.size()))) {
    end = std::min(name.find(' '), name.size());
    parts.push_back(name.substr(0, end));
  }
  int first = 0;
  const auto is_part = [](const Word& word, std::string_view part) { return word.text == part; };
  for (auto at = words_.begin();; ++at) {
    at = std::search(at, words_.end(), parts.begin(), parts.end(), is_part);
    if (at == words_.end() || parts.empty()) return first;
    const auto after = at + static_cast<std::ptrdiff_t>(parts.size());
    if (after != words_.end() && after->text == "(") return at->line;
    if (first == 0) first = at->line;
  }
}

}  // namespace grader::policy
