// Opens what an instructor names: a folder of submissions, or an archive of them. Covered by
// packages/open_class_test.cpp.
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

/// Failures: WG-G20 it cannot be read, WG-S16 its layout is unclear, why an archive is refused; faults as
/// Unpacker's.
Expected<OpenedClass, UnpackFailure> open_class(const std::filesystem::path& place,
                                                const std::vector<Lab>& labs, Layout wanted,
                                                const Unpacker& unpacker);

/// The endings of what is read out of a student's archive: the labs' sources.
std::vector<WantedFile> wanted_sources(const std::vector<Lab>& labs);

}  // namespace grader
