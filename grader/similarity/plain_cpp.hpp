// CUDA's own syntax written so that the C++ grammars of other detectors take it: JPlag's gives up a whole
// function at a launch it cannot read (tried with its ANTLR grammar, CPP14Parser.g4). Pure. Covered by
// similarity/plain_cpp_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace grader::similarity {

/// Every line and column stays where it is. A launch becomes a call of a call, k<<<g, b>>>(x) to k(  g, b)
/// (x); what stands where the grammars expect no name becomes blanks: __restrict__, __launch_bounds__(n),
/// __align__(n),
/// __attribute__((x)).
std::string plain_cpp(std::string_view cuda);

}  // namespace grader::similarity
