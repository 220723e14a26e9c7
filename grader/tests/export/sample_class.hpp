// A graded class, as `grade` writes it, with texts that attack other systems.
#pragma once

#include <filesystem>

#include "export/class_results.hpp"

namespace testing {

/// One submission each: alice (all right), bob (fails; his id, file and texts attack every format), carol
/// (does not compile), dora (rejected), zoe (a fault of the grader).
grader::ClassResults attacked_class();

/// A submission to one lab, whose case "17x33x65" is hidden and whose inputs are secret.
grader::ClassResults secret_class();

/// The files that `grade` would have written.
void write_class(const std::filesystem::path& folder, const grader::ClassResults& all);

/// The sample, with identities of Canvas and Moodle for all submissions.
grader::ClassResults with_identities(grader::ClassResults all);

}  // namespace testing
