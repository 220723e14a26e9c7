// The files of the archive that students get: labs, public datasets, the students' handbook, and a program
// that checks the labs. Every file is on a list: nothing comes into the archive only because it is in a
// folder of the kit. Covered by packing/student_archive_test.cpp and release/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "packing/archive_writer.hpp"
#include "runner/kit_paths.hpp"

namespace grader {

struct StudentArchiveOptions {
  std::string folder;  ///< the one folder at the archive's top level, "cuda-course"
  /// The students' book, a folder of HTML pages; empty: none.
  std::filesystem::path book;
};

/// Error WG-G70: a file is missing, a lab's source is not the skeleton, or a page names a hidden case.
Expected<PackedFiles, Diagnostic> student_archive(const KitPaths& kit, const StudentArchiveOptions& options);

}  // namespace grader
