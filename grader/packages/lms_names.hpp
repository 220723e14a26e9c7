// How LMSs name files in the downloads they offer to graders. Covered by packages/lms_names_test.cpp.
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
  std::string student;  ///< the same for all files of one student; differs between students
  Identity who;
  std::optional<bool> late;
  std::uint64_t upload = 0;  ///< grows with each upload; 0: the LMS gives none
  std::string file;          ///< what the student called it; empty: a folder, or a text typed into the LMS
};

/// doejane_LATE_12345_67890_tiled_matmul.cu: name, lateness, user, upload, file. Anonymous:
/// anon_ab12C_67890_….
std::optional<LmsName> read_canvas_name(std::string_view name);

/// Jane Doe_1234567_assignsubmission_file_, a folder, or the same followed by the file's name. Moodle tells
/// no lateness here.
std::optional<LmsName> read_moodle_name(std::string_view name);

/// submission_12345678
std::optional<std::uint64_t> read_gradescope_name(std::string_view name);

/// tiled_matmul-2.cu → tiled_matmul.cu: what Canvas adds when a student hands in a file of the same name
/// again.
std::string without_canvas_counter(const std::string& file);

}  // namespace grader
