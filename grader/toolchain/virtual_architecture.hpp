#pragma once

namespace grader {

/// The PTX architecture of the virtual GPU: old enough for clang 14, new enough for warp reductions and
/// cp.async.
inline constexpr int kVirtualArchitecture = 80;

}  // namespace grader
