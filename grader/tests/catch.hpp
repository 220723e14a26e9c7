// Catch2 2.13 (Debian 12) and 3.x with one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // the name's place in Catch2 2
#else
#include <catch2/catch.hpp>
#endif

#include <string>

namespace testing {

#if __has_include(<catch2/catch_all.hpp>)
inline auto contains(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
inline auto contains(const std::string& text) { return Catch::Contains(text); }
#endif
}  // namespace testing
