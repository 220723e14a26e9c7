// A student's receipt: what `warpgrade handin` recorded when it packed a lab. It is part of the package, so a
// student can write anything into it: graders show it and never trust it. Pure data.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace grader {

inline constexpr const char* kReceiptFile = "receipt.json";
inline constexpr const char* kAnswersName = "answers.json";

struct ReceiptSource {
  std::string path;  ///< relative to the lab's folder
  std::string sha256;

  friend bool operator==(const ReceiptSource&, const ReceiptSource&) = default;
};

struct Receipt {
  std::string lab;
  std::string packed_at;  ///< the student's clock, ISO 8601 with the offset: "2026-01-31T10:05:00+01:00"
  std::vector<ReceiptSource> sources;
  std::optional<double> score;  ///< of the check before packing; none: there was no check
  std::optional<double> max_score;
  std::string version;  ///< of the program that packed

  friend bool operator==(const Receipt&, const Receipt&) = default;
};

/// What a submission's receipt states, and whether it fits to the files next to it.
struct ReceiptFacts {
  std::string problem;  ///< why the file is no receipt of the lab; the other members are then empty
  std::string packed_at, version;
  std::optional<double> score, max_score;
  bool files_match = false;  ///< the digests are those of the files in the package

  /// nullopt: the receipt states no score, or one of another number of points.
  std::optional<bool> agrees_with(double graded_score, double graded_max_score) const {
    constexpr double kCent = 0.01;  // points are shown with two decimals
    if (!score || !max_score || *max_score != graded_max_score) return std::nullopt;
    return *score > graded_score - kCent && *score < graded_score + kCent;
  }

  friend bool operator==(const ReceiptFacts&, const ReceiptFacts&) = default;
};

}  // namespace grader
