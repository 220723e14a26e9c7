// Rewrites CUDA's syntax so that the C++ grammars of other detectors accept it. JPlag, for example, ignores a
// whole function if it cannot parse a launch (tested with its ANTLR grammar, CPP14Parser.g4). Pure. Covered
// by similarity/plain_cpp_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader::similarity {

/// Keeps all line and column numbers. A launch becomes a call of a call: k<<<g, b>>>(x) becomes k(  g, b)
/// (x). Words where the grammars expect no name are replaced by blanks: __restrict__, __launch_bounds__(n),
/// __align__(n), __attribute__((x)).
std::string plain_cpp(std::string_view cuda);

}  // namespace grader::similarity
