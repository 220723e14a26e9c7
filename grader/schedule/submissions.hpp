// Finds what a class handed in. Names are data: they are never part of a command, and a name that no file
// system or spreadsheet should meet gets a safe stand-in for its result folder. Covered by
// schedule/submissions_test.cpp.
//
// Layouts: SUBMISSIONS/<id>/<lab>/<source>, SUBMISSIONS/<id>/<source>, and one archive for each submission.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "lab/lab.hpp"

namespace grader {

struct Submission {
  std::string id;             ///< the folder's name; an archive's without its extension
  std::string result_folder;  ///< `id` when it is plain, else a safe name that no other submission has
  std::filesystem::path folder;
  std::optional<Diagnostic> problem;  ///< why nothing of it can be graded
};

struct SubmissionList {
  std::vector<Submission> submissions;  ///< by id
  std::vector<std::string> ignored;     ///< names of files that are neither a folder nor an archive
};

Expected<SubmissionList, Diagnostic> find_submissions(const std::filesystem::path& folder);

/// The submission's file for a lab: a regular file, no link on the way. The error tells the student what to
/// hand in.
Expected<std::filesystem::path, Diagnostic> find_source(const Submission& submission, const Lab& lab);

/// Whether anybody hands something in for the lab: its file, usable or not, or a folder of its name.
bool is_handed_in(const std::vector<Submission>& submissions, const Lab& lab);

/// The id itself if it is made of letters, digits and . _ + @ - alone, starts with a letter or digit and is
/// not long; otherwise "_", what is left of it and a part of its SHA-256. A plain id never starts with "_",
/// so the two kinds cannot meet.
std::string result_folder_name(const std::string& id);

}  // namespace grader
