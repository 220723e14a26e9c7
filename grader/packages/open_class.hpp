// Opens the submissions that an instructor passes: a folder of submissions, or an archive of such a folder.
// Covered by schedule/submissions_test.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "base/expected.hpp"
#include "lab/lab.hpp"
#include "packages/class_layout.hpp"
#include "packages/file_tree.hpp"
#include "packages/unpacking.hpp"

namespace grader {

struct OpenedClass {
  FileTree tree;
  ClassLayout layout;
};

/// Failures: WG-G20 if `place` cannot be read, WG-S16 if its layout is unclear, the reason if an archive is
/// refused; faults as in Unpacker.
Expected<OpenedClass, UnpackFailure> open_class(const std::filesystem::path& place,
                                                const std::vector<Lab>& labs, Layout requested,
                                                const Unpacker& unpacker);

/// The files to read from a student's archive: those with the endings of the labs' sources, and answers to
/// questions.
std::vector<SelectedFile> selected_sources(const std::vector<Lab>& labs);

}  // namespace grader
