// Links between Markdown pages of which only some are packed. Pure. Covered by packing/linked_pages_test.cpp.
#pragma once

#include <functional>
#include <string>

namespace grader {

/// The page, in which a relative link becomes plain text if `is_packed` returns false for its target (a path
/// relative to the archive: "handout/student/scoring.md", or a folder without '/' at its end). Links in code
/// are text already. `page` is the page's own path.
std::string without_dangling_links(const std::string& page, const std::string& text,
                                   const std::function<bool(const std::string& path)>& is_packed);

}  // namespace grader
