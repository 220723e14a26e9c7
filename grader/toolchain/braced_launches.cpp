#include "toolchain/braced_launches.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "toolchain/words.hpp"

namespace grader {
namespace {

constexpr std::array<std::string_view, 4> kTypes{"dim3", "dim3", "size_t", "cudaStream_t"};

class Rewriter {
 public:
  explicit Rewriter(std::string_view source) : rest_(source) {}

  std::string run() {
    while (!rest_.empty())
      if (!copy_uninterpreted()) copy_code();
    return std::move(result_);
  }

 private:
  void copy(std::size_t count) {
    count = std::min(count, rest_.size());
    result_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }
  /// Copies up to the end of the next `end` after the first `from` characters.
  void copy_through(std::string_view end, std::size_t from) {
    const std::size_t found = rest_.find(end, from);
    copy(found == std::string_view::npos ? rest_.size() : found + end.size());
  }

  /// Copies a comment, a literal or a blank, if one begins here.
  bool copy_uninterpreted() {
    const char first = rest_.front();
    const bool follows_word = !result_.empty() && is_in_word(result_.back());
    if (rest_.starts_with("//")) {
      copy(std::min(rest_.find('\n'), rest_.size()));
    } else if (rest_.starts_with("/*")) {
      copy_through("*/", 2);
    } else if (first == '"' && follows_word && result_.back() == 'R') {
      const std::string_view delimiter = rest_.substr(1, std::min(rest_.find('('), rest_.size()) - 1);
      copy_through(")" + std::string(delimiter) + "\"", 1);
    } else if (first == '"' || (first == '\'' && !follows_word)) {  // after a digit, ' separates groups
      copy_quoted(first);
    } else if (std::isspace(static_cast<unsigned char>(first)) != 0) {
      copy(1);
    } else {
      return false;
    }
    return true;
  }

  void copy_quoted(char quote) {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote && rest_[end] != '\n') end += rest_[end] == '\\' ? 2 : 1;
    copy(end + 1);
  }

  void copy_code() {
    if (rest_.starts_with("<<<")) {
      is_launch_ = is_start_of_argument_ = true;
      depth_ = argument_ = 0;
      return copy(3);
    }
    const char c = rest_.front();
    if (is_launch_) {
      if (is_start_of_argument_ && c == '{' && argument_ < kTypes.size()) result_ += kTypes[argument_];
      follow(c);
    }
    copy(1);
  }

  /// Follows the arguments of a launch.
  void follow(char c) {
    is_start_of_argument_ = c == ',' && depth_ == 0;
    if (is_start_of_argument_) ++argument_;
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') --depth_;
    if (depth_ < 0 || c == ';' || (depth_ == 0 && rest_.starts_with(">>>"))) is_launch_ = false;
  }

  std::string_view rest_;
  std::string result_;
  bool is_launch_ = false, is_start_of_argument_ = false;
  int depth_ = 0;
  std::size_t argument_ = 0;
};

}  // namespace

std::string with_typed_launches(std::string_view source) {
  if (source.find("<<<") == std::string_view::npos) return std::string(source);
  return Rewriter(source).run();
}

}  // namespace grader
