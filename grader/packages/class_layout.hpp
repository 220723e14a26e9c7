// Finds the submissions in the folder or archive of a class: plain folders, one per student, or the download
// of an LMS. The layout is recognised from the names; if they are ambiguous, the error shows how to resolve
// that. Pure. Covered by packages/class_layout_test.cpp.
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
  std::string path;  ///< in the tree of the class
  EntryKind kind = EntryKind::folder;
  std::string file;  ///< a file's name as the student chose it, without the LMS's additions
  std::uint64_t number =
      0;  ///< the LMS's number of the upload; a larger number replaces a smaller one; 0: unknown
};

struct Upload {
  std::string id;
  HandIn hand_in;
  std::vector<UploadPart> parts;  ///< the latest upload first
};

struct ClassLayout {
  Layout layout = Layout::plain;  ///< never automatic
  std::string root;               ///< prefix of all paths: folders around a download; empty or ends with '/'
  std::vector<Upload> uploads;    ///< by id
  std::vector<std::string> ignored;
};

inline constexpr const char* kGradescopeRoster = "submission_metadata.yml";

/// Error WG-S16: the names are from several layouts or from none.
Expected<ClassLayout, Diagnostic> recognise_class(const FileTree& tree, const std::vector<Lab>& labs,
                                                  Layout requested);

/// Applies Gradescope's list of authors. A submission is left out if all of its authors handed in a later
/// one; a note at the later one reports that.
void apply_roster(ClassLayout& layout, const HandInRoster& roster);

}  // namespace grader
