// Finds the word of a list that an abbreviated or misspelled word means.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

/// The number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the
/// other (optimal string alignment distance). Words are cut at 64 bytes, which bounds the work.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The closest candidate within max(1, length / 3) edits; the first one if several are equally close.
std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates);

/// The candidate that equals `word`, or the only candidate that begins with it: "02" for "02-tiled-matmul".
std::optional<std::string> completed(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean `case`?", or an empty string.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace grader
