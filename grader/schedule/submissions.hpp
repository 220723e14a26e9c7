// Finds what a class handed in, in a folder or in what an LMS lets graders download. Names are data: they are
// never part of a command, and a name that no file system or spreadsheet should meet gets a safe stand-in for
// its result folder. What comes out of archives lies in a private folder under names of our own. Covered by
// schedule/submissions_test.cpp.
//
// Layouts: handout/instructor/submissions.md; which is which is packages/class_layout.hpp's business.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "base/files.hpp"
#include "base/hand_in.hpp"
#include "lab/lab.hpp"
#include "packages/class_layout.hpp"
#include "sandbox/box.hpp"

namespace grader {

struct Submission {
  /// The folder's name, an archive's without its extension, an LMS's name and number; as distinct() shows it.
  std::string id;
  std::string result_folder;  ///< `id` when it is plain, else a safe name that no other submission has
  HandIn hand_in;             ///< who, when, and what an instructor should know
  std::map<std::string, Expected<std::filesystem::path, Diagnostic>>
      sources;                        ///< by lab; absent: nothing for it
  std::optional<Diagnostic> problem;  ///< why nothing of it can be graded
};

struct SubmissionList {
  std::vector<Submission> submissions;              ///< by id
  std::vector<std::string> ignored;                 ///< names of files that are no submissions
  std::shared_ptr<const TemporaryFolder> unpacked;  ///< sources out of archives; goes with the last copy
};

struct FindOptions {
  Layout layout = Layout::automatic;
  unsigned jobs = 1;                        ///< archives unpacked at the same time
  const std::atomic<bool>* stop = nullptr;  ///< set: give up
};

/// Errors: WG-G20 unreadable, WG-S16 the layout is unclear, WG-S12 to S15 of a class's archive that is
/// refused; WG-S03, WG-S04 and WG-G23 are the machine's fault.
Expected<SubmissionList, Diagnostic> find_submissions(const std::filesystem::path& place,
                                                      const std::vector<Lab>& labs, const Sandbox& sandbox,
                                                      const FindOptions& options);

/// The submission's file for a lab. The error tells the student what to hand in.
Expected<std::filesystem::path, Diagnostic> find_source(const Submission& submission, const Lab& lab);

/// Whether anybody hands something in for the lab: its file, usable or not, or a folder of its name.
bool is_handed_in(const std::vector<Submission>& submissions, const Lab& lab);

/// The id itself if it is made of letters, digits and . _ + @ - alone, starts with a letter or digit and is
/// not long; otherwise "_", what is left of it and a part of its SHA-256. A plain id never starts with "_",
/// so the two kinds cannot meet.
std::string result_folder_name(const std::string& id);

}  // namespace grader
