// What other systems demand of a file, as far as they document it: each function lists what a file violates.
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

/// Rows of RFC 4180 CSV with CR LF, read by other code than the kit's own; throws when it is none.
std::vector<std::vector<std::string>> csv_cells(const std::string& csv);
nlohmann::json decoded_base64_json(const std::string& output);

}  // namespace testing
