#include "policy/emitted_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace grader::policy {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool begins_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_in_identifier(char c) {
  return begins_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_bad(std::string_view literal) {
  return std::any_of(literal.begin(), literal.end(), [](char c) {
    return c == '\\' || c == '"' || c == ';' || std::iscntrl(static_cast<unsigned char>(c)) != 0;
  });
}

/// Attributes whose strings are messages for people.
bool has_message(std::string_view attribute) {
  if (attribute.starts_with("__") && attribute.ends_with("__") && attribute.size() > 4)
    attribute = attribute.substr(2, attribute.size() - 4);
  return is_one_of(attribute, {"deprecated", "nodiscard", "error", "warning", "unavailable"});
}

struct HostToken {
  enum class Kind { end, identifier, string, other };
  Kind kind = Kind::end;
  std::string_view text;  ///< of a string: its characters, as written
};

/// The tokens of the text, without what #if 0 excludes.
class HostLexer {
 public:
  HostLexer(std::string_view text, std::string_view source_name)
      : text_(text), own_file_("/" + std::string(source_name)) {}

  HostToken next() {
    while (skip_blanks()) {
      const char c = text_[at_];
      if (c == '#' && is_line_start_) {
        take_directive();
        continue;
      }
      is_line_start_ = false;
      if (begins_identifier(c)) return identifier_or_string();
      if (c == '"') return string();
      if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
      if (c == '\'') return character();
      return {HostToken::Kind::other, text_.substr(at_++, 1)};
    }
    return {};
  }
  int line() const { return is_own_ ? line_ : 0; }

 private:
  void advance(std::size_t to) {
    to = std::min(to, text_.size());
    for (; at_ < to; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      is_line_start_ = true;
    }
  }

  /// Also skips comments and joined lines. False at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_, 2);
      if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
        advance(at_ + 1);
      } else if (rest == "//") {
        advance(text_.find('\n', at_));
      } else if (rest == "/*") {
        advance(after("*/", at_ + 2));
      } else if (rest == "\\\n") {
        at_ += 2;
      } else {
        return true;
      }
    }
    return false;
  }

  std::size_t after(std::string_view what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == text_.npos ? text_.size() : found + what.size();
  }

  std::string_view take_line() {
    const std::size_t start = at_, end = std::min(text_.find('\n', at_), text_.size());
    advance(end + 1);
    std::string_view line = text_.substr(start, end - start);
    line.remove_prefix(std::min(line.find_first_not_of(" \t", 1), line.size()));
    return line;
  }

  void take_directive() {
    const std::string_view line = take_line();
    if (line.starts_with("if 0")) return skip_excluded();
    note_place(line.starts_with("line ") ? line.substr(5) : line);
  }

  void skip_excluded() {
    for (int depth = 1; depth > 0 && at_ < text_.size();) {
      const bool is_directive = text_[at_] == '#';
      const std::string_view line = take_line();
      if (!is_directive) continue;
      depth += line.starts_with("if") ? 1 : line.starts_with("endif") ? -1 : 0;
      note_place(line);
    }
  }

  /// # 14 "/src/lab.cu"
  void note_place(std::string_view record) {
    int line = 0;
    const auto read = std::from_chars(record.data(), record.data() + record.size(), line);
    if (read.ec != std::errc{}) return;
    line_ = line;
    const std::size_t first = record.find('"'), last = record.rfind('"');
    if (first == last) return;
    const std::string file = "/" + std::string(record.substr(first + 1, last - first - 1));
    is_own_ = file.ends_with(own_file_);
  }

  HostToken identifier_or_string() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_in_identifier(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    const bool is_prefix = at_ < text_.size() && text_[at_] == '"';
    if (is_prefix && is_one_of(word, {"R", "LR", "uR", "UR", "u8R"})) return raw_string();
    if (is_prefix && is_one_of(word, {"L", "u", "U", "u8"})) return string();
    return {HostToken::Kind::identifier, word};
  }

  HostToken string() {
    const std::size_t start = at_ + 1;
    std::size_t end = start;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    advance(end + 1);
    return {HostToken::Kind::string, text_.substr(start, end - start)};
  }

  HostToken raw_string() {
    const std::size_t open = std::min(text_.find('(', at_), text_.size());
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t start = std::min(open + 1, text_.size());
    const std::size_t end = std::min(text_.find(close, start), text_.size());
    advance(end + close.size());
    return {HostToken::Kind::string, text_.substr(start, end - start)};
  }

  HostToken number() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_in_identifier(text_[at_]) || text_[at_] == '.' || text_[at_] == '\''))
      ++at_;
    return {HostToken::Kind::other, text_.substr(start, at_ - start)};
  }

  HostToken character() {
    const std::size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '\'' && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return {HostToken::Kind::other, text_.substr(start, at_ - start)};
  }

  std::string_view text_;
  std::string own_file_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool is_own_ = false, is_line_start_ = true;
};

class NameSearch {
 public:
  NameSearch(std::string_view text, std::string_view source_name) : tokens_(text, source_name) { step(); }

  std::optional<BadName> run() {
    using Kind = HostToken::Kind;
    while (now_.kind != Kind::end && !found_) {
      const HostToken token = now_;
      step();
      if (token.kind == Kind::identifier) {
        if (is_one_of(token.text, {"asm", "__asm", "__asm__"})) read_asm();
        if (is_one_of(token.text, {"__attribute", "__attribute__", "__declspec"})) read_attributes('(', ')');
      } else if (token.text == "[" && is('[')) {
        read_attributes('[', ']');
      }
    }
    return found_;
  }

 private:
  void step() { now_ = tokens_.next(); }
  bool is(char c) const {
    return now_.kind == HostToken::Kind::other && now_.text == std::string_view(&c, 1);
  }

  void note(std::optional<BadName>& found) const {
    if (!found && now_.kind == HostToken::Kind::string && is_bad(now_.text))
      found = BadName{tokens_.line(), now_.text};
  }

  /// From the opening bracket to the one that closes it.
  void read_attributes(char open, char close) {
    std::string_view attribute;
    int depth = 0;
    while (now_.kind != HostToken::Kind::end) {
      depth += is(open) ? 1 : is(close) ? -1 : 0;
      if (now_.kind == HostToken::Kind::identifier) attribute = now_.text;
      if (!has_message(attribute)) note(found_);
      step();
      if (depth <= 0) return;
    }
  }

  /// Statements with operands are inline assembly, which the marks in the assembly code show.
  void read_asm() {
    if (!is('(')) return;
    std::optional<BadName> bad;
    bool is_name = true;
    int depth = 0;
    while (now_.kind != HostToken::Kind::end) {
      depth += is('(') ? 1 : is(')') ? -1 : 0;
      is_name = is_name && !is(':');
      note(bad);
      step();
      if (depth <= 0) break;
    }
    if (is_name && bad) found_ = bad;
  }

  HostLexer tokens_;
  HostToken now_;
  std::optional<BadName> found_;
};

}  // namespace

std::optional<BadName> find_bad_name(std::string_view host_source, std::string_view source_name) {
  return NameSearch(host_source, source_name).run();
}

}  // namespace grader::policy
