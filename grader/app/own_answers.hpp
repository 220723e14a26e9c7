// A student's own answers.json, next to the source.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "questions/grade_answers.hpp"

namespace grader::app {

/// nullopt: the lab asks nothing, or there is no such file. `names` and `counters` as for grade_answers().
std::optional<QuestionsOutcome> own_answers(const Lab& lab, const std::filesystem::path& file,
                                            const std::vector<std::string>& names,
                                            const CounterValues& counters);

}  // namespace grader::app
