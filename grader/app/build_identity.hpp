// The identity of the sources that this program was built from. It is part of the program's version, so that
// results of another build are not mistaken for results of this one (cmake/WarpgradeBuildIdentity.cmake).
#pragma once

namespace grader::app {

/// Twelve hexadecimal digits, the same for the same sources in every folder and on every machine.
const char* build_identity();

}  // namespace grader::app
