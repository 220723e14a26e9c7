// Finds the kit's files: the checkout with labs/, and the programs built from it.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "runner/runner.hpp"

namespace grader::app {

/// The checkout is $WARPGRADE_HOME if that is set, else the innermost folder above this program that is a
/// checkout, else the folder that the program was built from. The other programs are in the build folder of
/// this one. Error WG-G04: there is no checkout.
Expected<KitPaths, Diagnostic> find_kit();

}  // namespace grader::app
