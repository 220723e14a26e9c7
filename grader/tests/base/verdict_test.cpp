#include "base/verdict.hpp"

#include <set>
#include <string>

#include "catch.hpp"

namespace {

TEST_CASE("every verdict has a word of its own") {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(grader::Verdict::grader_fault); ++i)
    words.emplace(to_string(static_cast<grader::Verdict>(i)));
  CHECK(words.size() == 11);
  CHECK(words.contains("accepted"));
  CHECK(words.contains("grader_fault"));
}

}  // namespace
