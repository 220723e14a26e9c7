// Finds the kit's own files: labs/ and the rest of the checkout, and the programs built from it.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "runner/runner.hpp"

namespace grader::app {

/// The checkout is WARPGRADE_HOME, else the first folder above this program that is one, else the folder that
/// the program was built from. The programs lie beside this one. WG-G04 when there is none.
Expected<KitPaths, Diagnostic> find_kit();

}  // namespace grader::app
