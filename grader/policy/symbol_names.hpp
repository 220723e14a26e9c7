// What the policy thinks of a symbol's name: what compiled C++ and CUDA need is permitted, what reaches
// files, processes, threads and the like is refused with a reason, anything else is unknown. Pure.
// Covered by tests/policy/symbol_names_test.cpp. The lists are published in handout/instructor/grading.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace grader::policy {

enum class Standing { permitted, refused, unknown };

struct Opinion {
  Standing standing = Standing::unknown;
  std::string_view reason;  ///< refused: "opens or changes files"
  std::string_view shown;   ///< refused: how the source spells it: "std::ifstream"; otherwise the name
};

/// Of a name that an object imports.
Opinion opinion_on_import(std::string_view name);

/// Why no submission may define this name, as part of a sentence ("belongs to the CUDA runtime"); nullopt: it
/// may.
std::optional<std::string_view> reserved_for(std::string_view name);

/// The forbidden library ("thrust", "cub", "cublas", "openmp", …) that a mangled or plain name belongs to;
/// empty: none.
std::string_view library_of_symbol(std::string_view name);
/// The same of a header: "thrust/sort.h" is of "thrust".
std::string_view library_of_header(std::string_view header);

/// "helper" of "_Z6helperi", "Table::fill" of "_ZN5Table4fillEv"; other names as they are. Made from the
/// letters of the name alone, in linear time: mangled names come from the submission, and general demanglers
/// can be made to run for ever. Printable and cut.
std::string readable(std::string_view name);

}  // namespace grader::policy
