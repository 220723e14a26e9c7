// Copies are found despite the usual changes to hide them; independent solutions of the kit's labs are not.
#include "similarity/compare.hpp"

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "catch.hpp"

using namespace grader::similarity;
namespace fs = std::filesystem;

namespace {

const fs::path kRoot = WARPGRADE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> handed_out(const std::string& lab, const std::string& source) {
  std::vector<std::string> texts = {text_of(kRoot / "labs" / lab / source)};
  for (const auto& header : fs::directory_iterator(kRoot / "labs" / "include" / "lab"))
    texts.push_back(text_of(header.path()));
  return texts;
}

std::string solution() { return text_of(kRoot / "solutions" / "02-tiled-matmul" / "tiled_matmul.cu"); }

/// The similarity of two sources, without the skeleton of 02-tiled-matmul.
double similarity(const std::string& a, const std::string& b) {
  const Comparison result =
      compare("lab", {{"a", a}, {"b", b}}, handed_out("02-tiled-matmul", "tiled_matmul.cu"), {});
  return result.pairs.empty() ? 0 : result.pairs.front().similarity;
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& with) {
  return std::regex_replace(text, std::regex(pattern), with);
}

}  // namespace

TEST_CASE("renamed variables, other comments and another layout leave a copy a copy") {
  const std::string original = solution();
  const std::string renamed = replaced(
      replaced(replaced(original, "\\b(row|col|sum|phase|tx|ty)\\b", "my_$1_2"), "//[^\n]*", "// mine"), "  ",
      "\t\t");
  CHECK(similarity(original, renamed) == 1);
  CHECK(similarity(original, replaced(original, "; *\n", ";\n\n\n")) == 1);
}

TEST_CASE("reordered functions leave a copy a copy") {
  const std::string original = solution();
  const std::size_t middle = original.find("// ---- B");
  REQUIRE(middle != std::string::npos);
  CHECK(similarity(original, original.substr(middle) + original.substr(0, middle)) > 0.9);
}

TEST_CASE("a copy with code added to it is still a copy") {
  const std::string original = solution();
  const std::string padding = text_of(kRoot / "solutions" / "06-min-plus" / "min_plus.cu");
  CHECK(similarity(original, padding + original + padding) > 0.9);
}

TEST_CASE("independent solutions stay below the default threshold in every lab") {
  for (const auto& lab : fs::directory_iterator(kRoot / "solutions")) {
    const std::string id = lab.path().filename().string();
    std::vector<Document> documents;
    std::string source;
    for (const auto& file : fs::directory_iterator(lab.path()))
      if (file.path().extension() == ".cu") source = file.path().filename().string();
    documents.push_back({"solution", text_of(lab.path() / source)});
    for (const auto& file : fs::directory_iterator(lab.path() / "accepted")) {
      const std::string text = text_of(file.path());
      const bool is_derived = text.starts_with("// The reference solution");
      if (!is_derived) documents.push_back({file.path().stem().string(), text});
    }
    const Comparison result = compare(id, documents, handed_out(id, source), {});
    INFO(id);
    CHECK(result.above_threshold == 0);
  }
}

TEST_CASE("skeletons alone have nothing to compare") {
  const std::string skeleton = text_of(kRoot / "labs" / "02-tiled-matmul" / "tiled_matmul.cu");
  const Comparison result = compare("lab", {{"a", skeleton}, {"b", skeleton}, {"c", ""}},
                                    handed_out("02-tiled-matmul", "tiled_matmul.cu"), {});
  CHECK(result.pairs.empty());
  CHECK(result.pairs_compared == 0);
  CHECK(result.too_little == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("fragments name the lines, and the order of documents does not matter") {
  const std::string original = solution(), shifted = "\n\n\n" + original;
  const Comparison once = compare("lab", {{"a", original}, {"b", shifted}}, {}, {});
  const Comparison again = compare("lab", {{"b", shifted}, {"a", original}}, {}, {});
  REQUIRE(once.pairs.size() == 1);
  REQUIRE(once.pairs.front().fragments.size() == 1);
  const Fragment& whole = once.pairs.front().fragments.front();
  CHECK(whole.in_second.first == whole.in_first.first + 3);
  CHECK(whole.in_second.last == whole.in_first.last + 3);
  CHECK(again.pairs.front().similarity == once.pairs.front().similarity);
  CHECK(again.documents.front().name == "a");
}

TEST_CASE("only the top pairs are kept, all are counted") {
  std::vector<Document> documents;
  for (int i = 0; i < 10; ++i) documents.push_back({"s" + std::to_string(i), solution()});
  const Comparison result = compare("lab", documents, {}, {0.5, 3});
  CHECK(result.pairs.size() == 3);
  CHECK(result.above_threshold == 45);
  CHECK(result.pairs_compared == 45);
}

TEST_CASE("a file of one repeated line, as large as a submission may be, does not take long") {
  std::string repeated;
  while (repeated.size() < 1U << 20U) repeated += "x = x + 1;\n";
  const Comparison result =
      compare("lab", {{"a", repeated}, {"b", repeated}, {"c", solution() + repeated}}, {}, {});
  CHECK(result.documents.size() == 3);
}
