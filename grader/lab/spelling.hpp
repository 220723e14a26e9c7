// "Did you mean": the word of a list that is closest to a mistyped one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

/// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other (optimal
/// string alignment distance). Words are cut at 64 bytes, which bounds the work.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The candidate within a third of the word's length, at least one edit; the first of equals.
std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean `case`?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace grader
