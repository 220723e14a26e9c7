// Which submissions a class's folder or archive holds: a plain folder for each student, or what an LMS lets
// graders download. Recognised by its names; where they leave a doubt, the error says how to resolve it.
// Pure. Covered by packages/class_layout_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "base/hand_in.hpp"
#include "lab/lab.hpp"
#include "packages/file_tree.hpp"
#include "packages/roster.hpp"

namespace grader {

enum class Layout { automatic, plain, canvas, moodle, gradescope };

/// One file or folder of an upload.
struct UploadPart {
  std::string path;  ///< in the class's tree
  EntryKind kind = EntryKind::folder;
  std::string file;          ///< of a file: what the student called it, without the LMS's additions
  std::uint64_t number = 0;  ///< the LMS's number of the upload: later ones replace earlier ones; 0: unknown
};

struct Upload {
  std::string id;
  HandIn hand_in;
  std::vector<UploadPart> parts;  ///< the last upload first
};

struct ClassLayout {
  Layout layout = Layout::plain;  ///< never automatic
  std::string root;               ///< prefix of all paths: folders around a download; empty or ends with '/'
  std::vector<Upload> uploads;    ///< by id
  std::vector<std::string> ignored;
};

inline constexpr const char* kGradescopeRoster = "submission_metadata.yml";

/// Errors: WG-S16, names of several layouts, or none of them.
Expected<ClassLayout, Diagnostic> recognise_class(const FileTree& tree, const std::vector<Lab>& labs,
                                                  Layout wanted);

/// Gradescope: who handed in what. A submission all of whose authors handed in a later one is left out; the
/// later one says so.
void apply_roster(ClassLayout& layout, const HandInRoster& roster);

}  // namespace grader
