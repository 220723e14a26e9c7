// PTX ISA, 9.7.14 to 9.7.16. A name followed by a dot word can only be an instruction: labels, variables and
// registers with these names are not.

#include "policy/matrix_instructions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "vgpu/ptx/lexer.hpp"
#include "vgpu/ptx/literal.hpp"

namespace grader::policy {
namespace {

using vgpu::ptx::Token;
using vgpu::ptx::TokenKind;
using vgpu::ptx::TokenStream;

bool is_matrix_opcode(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kOpcodes{"mma", "wmma", "wgmma", "tcgen05"};
  return std::find(kOpcodes.begin(), kOpcodes.end(), name) != kOpcodes.end();
}

class MatrixSearch {
 public:
  explicit MatrixSearch(std::string_view source_name) : source_name_(source_name) {}

  /// nvcc names the files after the code, so that the text is read to its end. Throws vgpu::ptx::Failure.
  void read(std::string_view ptx) {
    TokenStream tokens(ptx);
    while (tokens.peek().kind != TokenKind::end) {
      const Token token = tokens.take();
      note_place(token, tokens);
      if (opcode_.empty() && token.kind == TokenKind::identifier && is_matrix_opcode(token.text) &&
          tokens.peek().kind == TokenKind::dot_word)
        opcode_ = std::string(token.text) + "." + std::string(tokens.peek().text);
    }
  }

  std::optional<MatrixInstruction> found() const {
    if (opcode_.empty()) return std::nullopt;
    const auto place = std::find_if(places_.rbegin(), places_.rend(),
                                    [&](const Place& one) { return of_submission_.contains(one.first); });
    return MatrixInstruction{opcode_, place == places_.rend() ? 0 : static_cast<int>(place->second)};
  }

 private:
  using File = std::uint64_t;
  using Place = std::pair<File, std::uint64_t>;  ///< a line

  /// Reads `.file 1 "lab.cu"`, and up to the instruction `.loc 1 7 3` and `inlined_at 1 7 3`.
  void note_place(const Token& token, TokenStream& tokens) {
    const bool is_file = token.kind == TokenKind::dot_word && token.text == "file";
    const bool is_line = (token.kind == TokenKind::dot_word && token.text == "loc") ||
                         (token.kind == TokenKind::identifier && token.text == "inlined_at");
    if ((!is_file && !is_line) || tokens.peek().kind != TokenKind::integer) return;
    const File file = literal(tokens.take()).bits;
    // clang writes the folder, then the name.
    while (is_file && tokens.peek().kind == TokenKind::string)
      if (is_submission(tokens.take().text)) of_submission_.insert(file);
    if (is_line && opcode_.empty() && tokens.peek().kind == TokenKind::integer)
      places_.emplace_back(file, literal(tokens.take()).bits);
  }

  bool is_submission(std::string_view path) const {
    return path == source_name_ || path.ends_with("/" + std::string(source_name_));
  }

  std::string_view source_name_;
  std::string opcode_;
  std::set<File> of_submission_;
  std::vector<Place> places_;
};

}  // namespace

std::optional<MatrixInstruction> find_matrix_instruction(std::string_view ptx, std::string_view source_name) {
  MatrixSearch search(source_name);
  try {
    search.read(ptx);
  } catch (const vgpu::ptx::Failure&) {  // not PTX from here on: the device refuses to load it
  }
  return search.found();
}

}  // namespace grader::policy
