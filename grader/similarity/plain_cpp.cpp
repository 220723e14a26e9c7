#include "similarity/plain_cpp.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "base/contains.hpp"
#include "similarity/lexemes.hpp"

namespace grader::similarity {
namespace {

using namespace std::string_view_literals;

constexpr std::array kBare = {"__restrict__"sv, "__restrict"sv};
constexpr std::array kWithArguments = {"__launch_bounds__"sv, "__align__"sv, "__attribute__"sv,
                                       "__maxnreg__"sv, "__cluster_dims__"sv};

/// The index after the parenthesis that closes the one at `open`; nullopt if there is no parenthesis at
/// `open` or it is not closed.
std::optional<std::size_t> end_of_arguments(const std::vector<Lexeme>& lexemes, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < lexemes.size(); ++i) {
    depth += lexemes[i].text == "(" ? 1U : 0U;
    if (depth == 0) return std::nullopt;
    if (lexemes[i].text == ")" && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

}  // namespace

std::string plain_cpp(std::string_view cuda) {
  std::string plain(cuda);
  const auto at = [&](std::string_view part) { return static_cast<std::size_t>(part.data() - cuda.data()); };
  const auto blank = [&](std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < end; ++i)
      if (std::isspace(static_cast<unsigned char>(plain[i])) == 0) plain[i] = ' ';
  };
  const std::vector<Lexeme> lexemes = lexemes_of(cuda);
  // Each replacement keeps the length and the line breaks: positions in the result are those of the source.
  std::optional<std::size_t> launch;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    const std::string_view text = lexemes[i].text;
    if (text == "<<<") {
      launch = at(text);
    } else if (text == ">>>" && launch) {
      plain.replace(*std::exchange(launch, std::nullopt), 3, "(  ");
      plain.replace(at(text), 3, ")  ");
    } else if (contains(kBare, text)) {
      blank(at(text), at(text) + text.size());
    } else if (contains(kWithArguments, text)) {
      if (const auto end = end_of_arguments(lexemes, i + 1)) blank(at(text), at(lexemes[*end - 1].text) + 1);
    }
  }
  return plain;
}

}  // namespace grader::similarity
