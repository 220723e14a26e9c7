// Parses the messages of nvcc, cudafe++, ptxas, g++, clang and the linkers.
//
//   nvcc           file.cu(12): error: expected a ";"
//   g++, clang     file.cu:12:5: error: expected ';'
//   ptxas, nvcc    ptxas fatal   : Unresolved extern function '_Z6helperf'
//   linkers        file.cpp:(.text+0x102): undefined reference to `helper(int)'
//                  ld.lld: error: undefined symbol: helper(int)

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "toolchain/compile_advice.hpp"
#include "toolchain/front_end.hpp"

namespace grader {
namespace {

using std::string_view;

/// The longest line parsed and the longest message shown: template errors and #error lines can have any
/// length.
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kMaxMessageBytes = 240;

bool is_control(char32_t c) { return c < ' ' || (c >= 0x7F && c < 0xA0) || c == kBrokenCharacter; }

/// Whole characters of UTF-8 without control characters, cut, without the final period.
std::string cleaned(string_view text) {
  std::string clean;
  string_view rest = trimmed(text);
  while (!rest.empty() && clean.size() < kMaxMessageBytes) {
    const string_view before = rest;
    const char32_t c = take_character(rest);
    clean += is_control(c) ? "?" : before.substr(0, before.size() - rest.size());
  }
  if (!rest.empty()) return clean + "...";
  while (clean.ends_with('.')) clean.pop_back();
  return clean;
}

string_view unquoted(string_view text) {
  constexpr string_view kQuotes = "`'\"";
  text = trimmed(text);
  if (!text.empty() && kQuotes.find(text.front()) != string_view::npos) text.remove_prefix(1);
  return text.substr(0, text.find_first_of(kQuotes));
}

/// The text with the typographic quotes of g++ as ASCII, so that every compiler's messages are read alike.
std::string with_plain_quotes(string_view text) {
  constexpr std::array<std::pair<string_view, char>, 4> kQuotes = {
      {{"‘", '\''}, {"’", '\''}, {"“", '"'}, {"”", '"'}}};
  std::string plain;
  while (!text.empty()) {
    const auto quote = std::find_if(kQuotes.begin(), kQuotes.end(),
                                    [&](const auto& one) { return text.starts_with(one.first); });
    plain += quote != kQuotes.end() ? quote->second : text.front();
    text.remove_prefix(quote != kQuotes.end() ? quote->first.size() : 1);
  }
  return plain;
}

/// The text after `marker`; nullopt if the line does not contain it.
std::optional<string_view> after(string_view line, string_view marker) {
  const std::size_t found = line.find(marker);
  if (found == string_view::npos) return std::nullopt;
  return line.substr(found + marker.size());
}

/// Removes a number from the end of `text` and returns it; 0 if there is none.
int take_trailing_number(string_view& text) {
  std::size_t start = text.size();
  while (start > 0 && is_digit(text[start - 1])) --start;
  int number = 0;
  std::from_chars(text.data() + start, text.data() + text.size(), number);
  text = text.substr(0, start);
  return number;
}

/// "/src/file.cu(12)", "/src/file.cu:12:5" and "/src/file.cu:12" → file and line. The compiled file is
/// reported as `source_name`, because it was compiled under a name that the grader chose.
std::optional<SourceLocation> read_location(string_view text, string_view source_name) {
  text = trimmed(text);
  int line = 0;
  if (text.ends_with(')')) {
    text.remove_suffix(1);
    line = take_trailing_number(text);
    if (!text.ends_with('(')) return std::nullopt;
  } else {
    line = take_trailing_number(text);
    string_view before = text.substr(0, text.empty() ? 0 : text.size() - 1);
    if (text.ends_with(':') && !before.empty() && is_digit(before.back())) {
      text = before;
      line = take_trailing_number(text);
    }
    if (!text.ends_with(':')) return std::nullopt;
  }
  text.remove_suffix(1);
  const string_view file = text.substr(text.find_last_of('/') + 1);
  if (file.empty() || line <= 0) return std::nullopt;
  return SourceLocation{file.ends_with(".cu") ? std::string(source_name) : cleaned(file), line};
}

/// True for a name that a CUDA library would define.
bool is_library_name(string_view symbol) {
  constexpr std::array<string_view, 8> kPrefixes = {"cuda",   "__cuda",   "cublas", "cufft",
                                                    "curand", "cusparse", "nvrtc",  "cu"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [symbol](string_view prefix) {
    const char next = symbol.size() > prefix.size() ? symbol[prefix.size()] : '\0';
    return symbol.starts_with(prefix) && next >= 'A' && next <= 'Z';
  });
}

Diagnostic undefined_symbol(string_view symbol) {
  const std::string name = cleaned(unquoted(symbol));
  if (is_library_name(name)) {
    return diagnose("WG-C03", name + " is not available",
                    "remove it: the lab needs only the CUDA runtime's own functions");
  }
  Diagnostic error = diagnose("WG-C02", name + " is used but not defined anywhere", "define it in this file");
  error.likely_cause = "a misspelt name, or parameters that differ between declaration and definition";
  return error;
}

/// The name of an include file that could not be opened, from any compiler's message.
std::optional<string_view> missing_include(string_view message) {
  if (const auto name = after(message, "cannot open source file ")) return unquoted(*name);
  if (message.ends_with("file not found")) return unquoted(message);
  if (message.ends_with(": No such file or directory")) return message.substr(0, message.rfind(": No such"));
  return std::nullopt;
}

template <std::size_t Count>
bool begins_with_one_of(string_view text, const std::array<string_view, Count>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](string_view prefix) { return text.starts_with(prefix); });
}

/// True for the headers of the CUDA Toolkit that the kit has no replacement for. The list is in
/// handout/student/virtual-gpu.md, "With clang".
bool is_toolkit_header(string_view header) {
  constexpr std::array<string_view, 13> kPrefixes = {
      "cuda_fp",        "cuda_bf16", "mma.h", "cuda/",  "nv/",     "cub/", "thrust/", "cooperative_groups/",
      "cuda_awbarrier", "cublas",    "cufft", "curand", "cusparse"};
  return begins_with_one_of(header, kPrefixes);
}

/// True if clang's message is about a device function or type of such a header, or of a texture or surface.
bool is_about_toolkit_name(string_view message) {
  constexpr std::array<string_view, 9> kPrefixes = {"tex1D",  "tex2D",  "tex3D",  "texCubemap",   "surf1D",
                                                    "surf2D", "surf3D", "__half", "__nv_bfloat16"};
  constexpr std::array<string_view, 3> kNamespaces = {"nvcuda'", "cuda'", "half'"};
  for (const string_view words : {"undeclared identifier '", "unknown type name '"})
    if (const auto name = after(message, words))
      return begins_with_one_of(*name, kPrefixes) || begins_with_one_of(*name, kNamespaces);
  return false;
}

constexpr const char* kUseNvcc =
    "compile with nvcc (--front-end nvcc), which has it; the page virtual-gpu.md, \"With clang\", lists what "
    "clang does not support";

/// `message`: the compiler's. nvcc has the toolkit's headers, so it lacks only names that do not exist.
Diagnostic missing_header(const std::string& name, string_view message) {
  const bool is_from_clang = message.find("file not found") != string_view::npos;
  return diagnose("WG-C04", "cannot open the include file " + name,
                  is_from_clang && is_toolkit_header(name)
                      ? kUseNvcc
                      : "correct its name or remove the line: only the lab's, CUDA's and "
                        "the standard headers are available");
}

std::string next_step_for(string_view message) {
  return is_about_toolkit_name(message) ? kUseNvcc : compile_advice(message);
}

Diagnostic rejected(string_view message, std::optional<SourceLocation> where) {
  const auto include = missing_include(trimmed(message));
  Diagnostic error = include ? missing_header(cleaned(*include), message)
                             : diagnose("WG-C01", cleaned(message), next_step_for(message));
  error.where = std::move(where);
  return error;
}

/// True for the line that compiler drivers add after the linker's own message.
bool is_closing_word(string_view message) {
  return message.starts_with("ld returned ") || message.starts_with("linker command failed");
}

/// The error in one line of output; nullopt for all other lines (notes, warnings, quoted source).
std::optional<Diagnostic> read_line(string_view line, string_view source_name) {
  for (string_view marker : {"undefined reference to ", "undefined symbol: "}) {
    if (const auto symbol = after(line, marker)) return undefined_symbol(*symbol);
  }
  constexpr std::array<string_view, 6> kMarkers = {
      ": fatal error: ",  ": catastrophic error: ", ": error: ",
      "ptxas error   : ", "ptxas fatal   : ",       "nvcc fatal   : "};
  for (string_view marker : kMarkers) {
    const std::size_t found = line.find(marker);
    if (found == string_view::npos) continue;
    const string_view message = line.substr(found + marker.size());
    if (const auto symbol = after(message, "Unresolved extern function ")) return undefined_symbol(*symbol);
    if (is_closing_word(message)) return std::nullopt;
    return rejected(message, read_location(line.substr(0, found), source_name));
  }
  if (const auto name = after(line, "multiple definition of ")) {
    return rejected(fmt::format("{} is defined more than once", unquoted(*name)), std::nullopt);
  }
  return std::nullopt;
}

/// Adds what clang's note after an error reports about a call, unless an earlier note did.
void add_reason(Diagnostic& error, string_view reason) {
  if (error.code != "WG-C01" || !error.likely_cause.empty()) return;
  error.likely_cause = cleaned(reason);
  const std::string general = compile_advice("");
  // Only the reason distinguishes a call of a host function from wrong arguments.
  if (std::string advice = compile_advice(reason); advice != general) error.next_step = std::move(advice);
}

bool same_error(const Diagnostic& a, const Diagnostic& b) {
  return a.code == b.code && a.what == b.what && a.where == b.where;
}

Diagnostic no_message(string_view output) {
  const string_view text = trimmed(output.substr(0, output.find('\n')));
  Diagnostic error = diagnose("WG-C05", "the compiler failed and named no line",
                              "compile a smaller piece of the file to find the place");
  error.first = text.empty() ? "it printed nothing" : "it printed: " + cleaned(text);
  error.likely_cause = "the file is not CUDA C++ source, or the compiler ran out of memory or time";
  return error;
}

}  // namespace

std::vector<Diagnostic> read_compiler_output(string_view printed, string_view source_name) {
  const std::string plain = with_plain_quotes(printed);
  const string_view output = plain;
  std::vector<Diagnostic> diagnostics;
  constexpr std::size_t kNone = kMaxCompilerDiagnostics;
  std::size_t others = 0, last = kNone;  // the error that a note belongs to
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    const string_view line = output.substr(start, std::min(end - start, kMaxLineBytes));
    start = end + 1;
    if (const string_view reason = reason_in_note(line); !reason.empty() && last != kNone)
      add_reason(diagnostics[last], reason);
    auto found = read_line(line, source_name);
    if (!found) continue;
    last = kNone;
    // Compilers read the file twice, for the host and for the device.
    if (std::any_of(diagnostics.begin(), diagnostics.end(),
                    [&found](const Diagnostic& known) { return same_error(known, *found); }))
      continue;
    if (diagnostics.size() < kMaxCompilerDiagnostics) {
      last = diagnostics.size();
      diagnostics.push_back(*std::move(found));
    } else {
      ++others;
    }
  }
  if (diagnostics.empty()) return {no_message(output)};
  if (others > 0) {
    diagnostics.back().next_step +=
        fmt::format("; {} more {} not shown", others, others == 1 ? "error is" : "errors are");
  }
  return diagnostics;
}

}  // namespace grader
