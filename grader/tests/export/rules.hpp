// The documented requirements of other systems on a file. Each function lists the rules that a file violates.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace testing {

using Problems = std::vector<std::string>;

Problems gradescope_problems(const std::string& file);
Problems prairielearn_problems(const std::string& file);
Problems autolab_problems(const std::string& output, const std::vector<std::string>& problem_names);
Problems classroom_problems(const std::string& output);
Problems canvas_problems(const std::string& csv);
Problems moodle_gradebook_problems(const std::string& csv);
Problems moodle_worksheet_problems(const std::string& csv);
Problems junit_problems(const std::string& xml);

/// The rows of an RFC 4180 CSV file with CR LF, parsed independently of the kit's code; throws if it is not
/// one.
std::vector<std::vector<std::string>> csv_cells(const std::string& csv);
nlohmann::json decoded_base64_json(const std::string& output);

}  // namespace testing
