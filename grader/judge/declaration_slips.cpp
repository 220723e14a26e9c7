#include "judge/declaration_slips.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/code_search.hpp"
#include "judge/code_text.hpp"

namespace grader {
namespace {

using std::string_view;

/// The parentheses at `open` contain a comma that is in no others.
bool has_comma(string_view text, std::size_t open) {
  const std::size_t end = after_parentheses(text, open);
  int depth = 0;
  for (std::size_t at = open; end != string_view::npos && at < end; ++at) {
    depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
    if (depth == 1 && text[at] == ',') return true;
  }
  return false;
}

/// The parenthesis after `dim3 name =` at `at`; npos: something else is there.
std::size_t value_of_dim3(string_view text, std::size_t at) {
  at = skip_blanks(text, at);
  while (at < text.size() && is_word_character(text[at])) ++at;
  at = skip_blanks(text, at);
  if (at >= text.size() || text[at] != '=') return string_view::npos;
  at = skip_blanks(text, at + 1);
  return at < text.size() && text[at] == '(' ? at : string_view::npos;
}

/// A use of the array with an index of a thread: `tile[threadIdx.x]`, `tile[ty][tx]`, `values[lane]`.
bool is_indexed_by_threads(string_view body, string_view array) {
  for (std::size_t at = find_word(body, array, 0); at != string_view::npos;
       at = find_word(body, array, at + 1)) {
    const std::size_t open = at + array.size();
    if (open >= body.size() || body[open] != '[') continue;
    const string_view index = body.substr(open, body.find_first_of(";=\n", open) - open);
    for (const char* thread : {"threadIdx", "tx", "ty", "tid", "lane", "thread"})
      if (find_word(index, thread, 0) != string_view::npos) return true;
  }
  return false;
}

/// Where the next function for the device begins; npos: there is none.
std::size_t next_device_function(string_view text, std::size_t at) {
  return std::min(find_word(text, "__global__", at), find_word(text, "__device__", at));
}

/// The name of the array that a declaration at `at` begins, as `float tile[16][16];`.
string_view declared_array(string_view text, std::size_t at) {
  const std::size_t begin = skip_blanks(text, at);
  std::size_t end = begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return end < text.size() && text[end] == '[' ? text.substr(begin, end - begin) : string_view();
}

/// `name = …` somewhere after the place.
bool is_assigned_after(const FileCode& code, const std::string& name, std::size_t at) {
  if (name.empty()) return true;
  for (at = find_word(code.text, name, at); at != string_view::npos;
       at = find_word(code.text, name, at + 1)) {
    const string_view next = code.from(skip_blanks(code.text, at + name.size()));
    if (next.starts_with('=') && !next.starts_with("==")) return true;
  }
  return false;
}

/// A variable that a statement declares, in the braces that are open there.
struct Declared {
  std::string_view name;
  std::size_t at = 0;
  std::size_t depth = 0;  ///< number of open braces
};

/// The name in `float name = …;` at `at`, where the type begins; empty: no declaration of a variable.
string_view declared_variable(string_view text, std::size_t at) {
  for (const string_view type : {"float", "double", "int", "unsigned", "auto"}) {
    if (!text.substr(at).starts_with(type)) continue;
    const std::size_t name = skip_blanks(text, at + type.size());
    if (name == at + type.size()) return {};
    std::size_t end = name;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::size_t next = skip_blanks(text, end);
    const bool has_value = next + 1 < text.size() && text[next] == '=' && text[next + 1] != '=';
    return has_value ? text.substr(name, end - name) : string_view();
  }
  return {};
}

/// Whether a statement begins at `at`.
bool begins_statement(string_view text, std::size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  return at == 0 || string_view(";{}").find(text[at - 1]) != string_view::npos;
}

}  // namespace

std::optional<Advice> comma_without_dim3(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  const auto advice = [&](std::size_t open) {
    return Advice{
        fmt::format("(x, y) in line {} is a comma expression, whose value is y alone: grid or block "
                    "has one dimension of that length",
                    code.line_of(open)),
        "write dim3 before the parentheses: dim3(x, y)"};
  };
  for (std::size_t at = find_word(text, "dim3", 0); at != string_view::npos;
       at = find_word(text, "dim3", at + 1)) {
    const std::size_t open = value_of_dim3(text, at + 4);
    if (open != string_view::npos && has_comma(text, open)) return advice(open);
  }
  for (std::size_t at = text.find("<<<"); at != string_view::npos; at = text.find("<<<", at + 3)) {
    const std::size_t open = skip_blanks(text, at + 3), end = after_parentheses(text, open);
    if (end == string_view::npos || !has_comma(text, open)) continue;
    if (code.from(skip_blanks(text, end)).starts_with(',')) return advice(open);
  }
  return std::nullopt;
}

std::optional<Advice> tile_without_shared(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (std::size_t at = next_device_function(text, 0); at != string_view::npos;
       at = next_device_function(text, at + 1)) {
    const auto body = braces_after(text, at);
    if (!body) continue;
    const string_view inside = text.substr(body->begin, body->end - body->begin);
    if (find_word(inside, "__syncthreads", 0) == string_view::npos) continue;
    for (std::size_t word = find_word(inside, "float", 0); word != string_view::npos;
         word = find_word(inside, "float", word + 1)) {
      const string_view array = declared_array(inside, word + 5);
      const std::size_t line = inside.rfind('\n', word) + 1;  // npos + 1 is 0
      const bool is_shared = inside.substr(line, word - line).find("__shared__") != string_view::npos;
      if (array.empty() || is_shared || !is_indexed_by_threads(inside, array)) continue;
      return Advice{fmt::format("`{}` in line {} is declared without __shared__: each thread has an array of "
                                "its own, and the elements that other threads store are not in it",
                                array, code.line_of(body->begin + word)),
                    "write __shared__ before the declaration, so that the block has one array"};
    }
  }
  return std::nullopt;
}

std::optional<Advice> store_to_constant(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  for (std::size_t at = find_word(text, "__constant__", 0); at != string_view::npos;
       at = find_word(text, "__constant__", at + 1)) {
    const string_view declaration = code.from(at).substr(0, code.from(at).find_first_of(";=["));
    const std::string array = last_word(trimmed(declaration));
    for (std::size_t use = find_word(text, array, at + declaration.size());
         !array.empty() && use != string_view::npos; use = find_word(text, array, use + 1)) {
      const string_view rest = code.from(use + array.size());
      const string_view statement = rest.substr(0, rest.find_first_of(";,\n"));
      const std::size_t equals = statement.find('=');
      const bool is_assigned = equals != string_view::npos && statement.front() == '[' &&
                               statement.substr(0, equals).find_first_of("<>!(") == string_view::npos &&
                               !statement.substr(equals + 1).starts_with('=');
      if (!is_assigned) continue;
      return Advice{fmt::format("line {} stores to `{}`, which is in constant memory: the compiler stops the "
                                "kernel there",
                                code.line_of(use), array),
                    "let the host set it with cudaMemcpyToSymbol, or use a __device__ variable"};
    }
  }
  return std::nullopt;
}

std::optional<Advice> static_in_kernel(const SourceText& source) {
  const FileCode code(source);
  for (std::size_t at = find_word(code.text, "__global__", 0); at != string_view::npos;
       at = find_word(code.text, "__global__", at + 1)) {
    const auto body = braces_after(code.text, at);
    if (!body) continue;
    const string_view inside = string_view(code.text).substr(body->begin, body->end - body->begin);
    for (std::size_t word = find_word(inside, "static", 0); word != string_view::npos;
         word = find_word(inside, "static", word + 1)) {
      const string_view declaration = inside.substr(word, inside.substr(word).find_first_of(";=("));
      if (contains_word(declaration, "const") || contains_word(declaration, "constexpr") ||
          contains_word(declaration, "__shared__"))
        continue;
      return Advice{fmt::format("the variable in line {} is static: the launch has one of them, which all "
                                "blocks use",
                                code.line_of(body->begin + word)),
                    "write __shared__ for one in each block, or leave `static` out for one in each thread"};
    }
  }
  return std::nullopt;
}

std::optional<Advice> hidden_variable(const SourceText& source) {
  const FileCode code(source);
  const string_view text = code.text;
  std::vector<Declared> visible;
  std::size_t depth = 0;
  int parentheses = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '{') ++depth;
    if (c == '}') {
      std::erase_if(visible, [&](const Declared& one) { return one.depth >= depth; });
      depth -= depth > 0 ? 1 : 0;
    }
    if (depth == 0 || parentheses != 0 || !begins_statement(text, at)) continue;
    const string_view name = declared_variable(text, at);
    if (name.empty()) continue;
    const auto outer = std::find_if(visible.begin(), visible.end(), [&](const Declared& one) {
      return one.name == name && one.depth < depth;
    });
    if (outer != visible.end())
      return Advice{fmt::format("line {} declares a second `{}`, which hides that of line {} and is gone "
                                "after the }}: the first one keeps its value",
                                code.line_of(at), name, code.line_of(outer->at)),
                    fmt::format("remove the type in line {}, or the whole declaration", code.line_of(at))};
    visible.push_back({name, at, depth});
  }
  return std::nullopt;
}

std::optional<Advice> pointer_in_shared_memory(const SourceText& source) {
  const FileCode code(source);
  for (std::size_t at = find_word(code.text, "__shared__", 0); at != string_view::npos;
       at = find_word(code.text, "__shared__", at + 1)) {
    const string_view rest = code.from(at);
    const std::size_t end = rest.find_first_of(";[{=(,)");
    const string_view declaration = rest.substr(0, end);
    if (end == string_view::npos || rest[end] != ';' || declaration.find('*') == string_view::npos) continue;
    if (is_assigned_after(code, last_word(trimmed(declaration)), at + end)) continue;
    return Advice{
        fmt::format("line {} declares a pointer in shared memory, which nothing sets, in the place of "
                    "an array",
                    code.line_of(at)),
        "declare an array: __shared__ float tile[256]; or extern __shared__ float tile[]; if the launch "
        "sets its size"};
  }
  return std::nullopt;
}

}  // namespace grader
