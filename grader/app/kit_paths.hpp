// Finds the kit's files: the checkout with labs/, and the programs built from it.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "runner/runner.hpp"

namespace grader::app {

/// The checkout is $WARPGRADE_HOME if that is set, else the innermost folder above this program that is a
/// checkout, else the folder that the program was built from. The other programs are in the build folder of
/// this one. Error WG-G04: there is no checkout.
///
/// A student archive has no solutions/. Its labs are those of the innermost folder above the current one that
/// has the labs' headers: students can work on a copy. Without such a folder, they are those of the archive.
Expected<KitPaths, Diagnostic> find_kit();

/// WG-G71 if `command` does not work because the kit is a student archive.
std::optional<Diagnostic> only_in_whole_kit(const std::string& command);

}  // namespace grader::app
