// Which sources this program was built from. Part of its version, so that results of another build are not
// taken for its own (cmake/WarpgradeBuildIdentity.cmake).
#pragma once

namespace grader::app {

/// Twelve hexadecimal digits, the same for the same sources in every folder and on every machine.
const char* build_identity();

}  // namespace grader::app
