// Classifies symbol names: names that compiled C++ and CUDA need are permitted; names that give access to
// files, processes, threads and the like are refused with a reason; all others are unknown. Pure. Covered by
// tests/policy/symbol_names_test.cpp. The lists are published in handout/instructor/grading.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace grader::policy {

enum class Standing { permitted, refused, unknown };

struct Opinion {
  Standing standing = Standing::unknown;
  std::string_view reason;  ///< refused: "opens or changes files"
  std::string_view shown;   ///< refused: the spelling in source code, "std::ifstream"; otherwise the name
};

/// Classifies a name that an object imports.
Opinion opinion_on_import(std::string_view name);

/// Why no submission may define this name, as part of a sentence ("belongs to the CUDA runtime"); nullopt:
/// submissions may define it.
std::optional<std::string_view> reserved_for(std::string_view name);

/// The forbidden library ("thrust", "cub", "cublas", "openmp", …) that a mangled or plain name belongs to;
/// empty: none.
std::string_view library_of_symbol(std::string_view name);
/// The forbidden library that a header belongs to: "thrust" for "thrust/sort.h"; empty: none.
std::string_view library_of_header(std::string_view header);

/// "helper" for "_Z6helperi", "Table::fill" for "_ZN5Table4fillEv"; other names are unchanged. The result is
/// printable and cut to a bounded length. Takes linear time: mangled names come from the submission, and
/// malicious names can make general demanglers run for ever.
std::string readable(std::string_view name);

}  // namespace grader::policy
