#include "toolchain/omitted_headers.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "toolchain/words.hpp"

namespace grader {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_in_word(text[at - 1]);
    if (starts && (end == text.size() || !is_in_word(text[end]))) return true;
  }
  return false;
}

/// A header that CUDA's runtime includes but does not need, and what the names begin with that it declares
/// (CUDA 13.0, glibc 2.36; other versions declare fewer).
struct SpareHeader {
  std::string_view guard;
  std::array<std::string_view, 9> names;  ///< unused places are empty
};
constexpr std::array kSpareHeaders{
    SpareHeader{"__TEXTURE_INDIRECT_FUNCTIONS_H__", {"tex"}},
    SpareHeader{"__SURFACE_INDIRECT_FUNCTIONS_H__", {"surf"}},
    SpareHeader{"__SM_30_INTRINSICS_H__",
                {"__shfl", "__all", "__any", "__uni", "__ballot", "__activemask", "__syncwarp", "__fns",
                 "__barrier"}},
    SpareHeader{"__SM_32_INTRINSICS_H__", {"__ld", "__st", "__funnel"}},
    SpareHeader{"__SM_60_ATOMIC_FUNCTIONS_H__", {"double", "_block", "_system"}},
    // Functions of the runtime for kernels: no name of theirs is known in host code alone.
    SpareHeader{"__CUDA_DEVICE_RUNTIME_API_H__", {}},
    // Which types of TS 18661-3 the compiler has: without these, <math.h> declares each function for three
    // types in place of ten.
    SpareHeader{"_BITS_FLOATN_H", {"_Float", "__HAVE_"}},
    SpareHeader{"_BITS_FLOATN_COMMON_H", {"_Float", "__HAVE_"}},
};

/// Whether the header uses nothing of kSpareHeaders: the labs' own, the standard library's and C's.
bool is_harmless(std::string_view header) {
  constexpr std::array<std::string_view, 12> kOfC{"assert.h", "ctype.h",   "float.h",  "limits.h",
                                                  "math.h",   "stdbool.h", "stddef.h", "stdint.h",
                                                  "stdio.h",  "stdlib.h",  "string.h", "cuda_runtime.h"};
  if (header.starts_with("lab/")) return true;
  if (std::find(kOfC.begin(), kOfC.end(), header) != kOfC.end()) return true;
  return header.find_first_of("./") == std::string_view::npos;
}

/// The name in `"name"` or `<name>` at the start of `text`, after blanks.
std::optional<std::string_view> header_name(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos || (text[first] != '"' && text[first] != '<')) return std::nullopt;
  const std::size_t last = text.find(text[first] == '<' ? '>' : '"', first + 1);
  if (last == std::string_view::npos) return std::nullopt;
  return text.substr(first + 1, last - first - 1);
}

bool are_includes_harmless(std::string_view source) {
  constexpr std::string_view kInclude = "include";
  for (std::size_t at = source.find(kInclude); at != std::string_view::npos;
       at = source.find(kInclude, at + 1)) {
    const std::size_t line = source.find_last_of('\n', at) + 1;
    if (!contains(source.substr(line, at - line), "#")) continue;
    const auto header = header_name(source.substr(at + kInclude.size()));
    if (!header || !is_harmless(*header)) return false;
  }
  return true;
}

}  // namespace

OmittedHeaders headers_to_omit(std::string_view source) {
  OmittedHeaders omitted;
  omitted.standard_library = !contains_word(source, "std");
  if (!are_includes_harmless(source)) return omitted;
  omitted.utility = omitted.standard_library;
  for (const SpareHeader& header : kSpareHeaders) {
    const auto is_named = [&](std::string_view name) { return !name.empty() && contains(source, name); };
    if (std::none_of(header.names.begin(), header.names.end(), is_named))
      omitted.guards.push_back(header.guard);
  }
  return omitted;
}

}  // namespace grader
