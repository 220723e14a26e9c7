// Lists of items as people and command lines write them: "0-4,9". Covered by schedule/item_list_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/expected.hpp"

namespace grader {

/// "0-4,9" of {0, 1, 2, 3, 4, 9}. Requires: `items` ascend.
std::string item_list_text(const std::vector<std::size_t>& items);

/// The items in ascending order, each once; all are below `count`. The error is one sentence.
Expected<std::vector<std::size_t>, std::string> parse_item_list(const std::string& text, std::size_t count);

}  // namespace grader
