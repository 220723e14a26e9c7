#include "judge/index_slips.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/code_search.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

using std::string_view;

/// Whether the factor before `*`, at the end of the text, is blockIdx.x: the variable of `i *= gridDim.x`
/// too, if the last assignment to it before is `i = blockIdx.x`.
bool ends_with_block(string_view before, char axis) {
  const std::string block = std::string("blockIdx.") + axis;
  before = trimmed(before);
  if (before.ends_with('*')) return trimmed(before.substr(0, before.size() - 1)).ends_with(block);
  if (!before.ends_with("*=")) return false;
  const string_view left = trimmed(before.substr(0, before.size() - 2));
  const std::string name = last_word(left);
  const std::size_t assigned = left.rfind(name + " = ", left.size() - name.size());
  return !name.empty() && assigned != string_view::npos &&
         trimmed(left.substr(assigned + name.size() + 3)).starts_with(block + ";");
}

}  // namespace

std::optional<Advice> grid_for_block(const SourceText& source) {
  constexpr string_view kGrid = "gridDim.", kBlock = "blockIdx.";
  const FileCode code(source);
  const string_view text = code.text;
  for (std::size_t at = text.find(kGrid); at != string_view::npos; at = text.find(kGrid, at + 1)) {
    const std::size_t end = at + kGrid.size() + 1;
    if (end > text.size()) break;
    const char axis = text[end - 1];
    const string_view after = code.from(skip_blanks(text, end));
    const string_view factor = after.starts_with('*') ? trimmed(after.substr(1, 16)) : "";
    const bool is_before = factor.starts_with(std::string(kBlock) + axis);
    if (!is_before && !ends_with_block(text.substr(0, at), axis)) continue;
    return Advice{fmt::format("line {} multiplies blockIdx.{} by gridDim.{}, the number of blocks: the first "
                              "element of a block is blockIdx.{} times the number of its threads",
                              code.line_of(at), axis, axis, axis),
                  fmt::format("multiply blockIdx.{} by blockDim.{}", axis, axis)};
  }
  return std::nullopt;
}

}  // namespace grader
