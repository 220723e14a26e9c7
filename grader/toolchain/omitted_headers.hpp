// Headers that the compiler reads for every CUDA file, although most files use nothing of them: without them,
// nvcc compiles a file in three fifths of the time. Pure. Covered by tests/toolchain/.
#pragma once

#include <string_view>
#include <vector>

namespace grader {

struct OmittedHeaders {
  /// Parts of the standard library that <cmath> includes, such as std::min and std::numeric_limits: they stay
  /// unless the source does not contain the word `std`.
  bool standard_library = false;
  bool utility = false;  ///< <utility>, of which cuda_runtime.h uses std::forward only
  /// Include guards of headers; defining one omits its header.
  std::vector<std::string_view> guards;
};

/// What the source probably does not need: it contains none of the names that a header declares and includes
/// nothing that could. A macro can form such a name, so a source that does not compile must be compiled again
/// with all headers.
OmittedHeaders headers_to_omit(std::string_view source);

}  // namespace grader
