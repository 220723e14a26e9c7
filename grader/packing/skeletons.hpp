// The skeletons that students received, by their digests. Covered by packing/skeletons_test.cpp.
#pragma once

#include <string>

#include "lab/lab.hpp"
#include "runner/kit_paths.hpp"

namespace grader {

/// In the archive for students, which has no solutions/: the digests of each lab's skeletons, one per line.
inline constexpr const char* kSkeletonDigests = "grader/skeletons.sha256";

/// True if `source` is the lab's skeleton, or an earlier version of it that was handed out.
bool is_skeleton(const KitPaths& kit, const Lab& lab, const std::string& source);

}  // namespace grader
