// Numbers for human readers. Locale-independent. Tested by report/numbers_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace grader {

std::string points_text(double points);            ///< "25", "12.5": at most two decimals
std::string percent_text(double share);            ///< "80 %", "7.69 %": three significant digits
std::string value_text(double value);              ///< four significant digits: "0.25", "12.31", "4"
std::string seconds_text(double seconds);          ///< "262.4 us", "1.201 ms", "2.5 s"
std::string count_text(std::uint64_t count);       ///< "1,048,576"
std::string duration_text(std::uint64_t seconds);  ///< "0:42", "12:05", "1:02:03"

/// A counter's value with four significant digits, and its unit if that is seconds.
std::string counter_text(const std::string& counter, double value);
/// The limits of a counter: "256", "32–512", "≤ 0.3", "≥ 4", "≤ 520 us"; empty if there are none.
std::string bounds_text(const std::string& counter, const std::optional<double>& least,
                        const std::optional<double>& most);

}  // namespace grader
