// Lists of items as text for people and command lines: "0-4,9". Covered by schedule/item_list_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/expected.hpp"

namespace grader {

/// "0-4,9" for {0, 1, 2, 3, 4, 9}. Requires: `items` is in ascending order.
std::string item_list_text(const std::vector<std::size_t>& items);

/// Returns the items in ascending order, without duplicates; all are below `count`. The error is one
/// sentence.
Expected<std::vector<std::size_t>, std::string> parse_item_list(const std::string& text, std::size_t count);

}  // namespace grader
