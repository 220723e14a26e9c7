// Parses the names that LMSs give to files in their downloads. Covered by packages/lms_names_test.cpp.
//
// Sources: Canvas, lib/content_zipper.rb (get_filename, add_upload_submission, sanitize_user_name); Moodle,
// mod/assign/locallib.php (download_submissions); Gradescope's "Download Submissions".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hand_in.hpp"

namespace grader {

struct LmsName {
  std::string student;  ///< identical for all files of one student and different for each student
  Identity who;
  std::optional<bool> late;
  std::uint64_t upload = 0;  ///< grows with each upload; 0: not given by the LMS
  std::string file;          ///< the name given by the student; empty: a folder, or a text typed into the LMS
};

/// doejane_LATE_12345_67890_tiled_matmul.cu: name, lateness, user, upload, file. Anonymous:
/// anon_ab12C_67890_….
std::optional<LmsName> read_canvas_name(std::string_view name);

/// Jane Doe_1234567_assignsubmission_file_ for a folder, or the same text followed by the name of a file.
/// Moodle's names do not contain lateness.
std::optional<LmsName> read_moodle_name(std::string_view name);

/// submission_12345678
std::optional<std::uint64_t> read_gradescope_name(std::string_view name);

/// tiled_matmul-2.cu → tiled_matmul.cu: removes the number that Canvas adds when a student hands in a file
/// with the same name again.
std::string without_canvas_counter(const std::string& file);

}  // namespace grader
