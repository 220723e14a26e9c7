#include "packages/package.hpp"

#include "packages/fixtures.hpp"

namespace package_test {

using namespace grader;
using namespace testing;

namespace {

const std::string kLab = "02-tiled-matmul";

PackageContents inspect(const FileTree& tree) { return inspect_package(tree, "p.zip", labs()); }

/// Where the lab's file was found; empty: not at all.
std::string place(const std::vector<std::string>& paths) {
  const auto contents = inspect(names(paths));
  const auto found = contents.sources.find(kLab);
  return found != contents.sources.end() && !found->second.problem ? found->second.entry.path : "";
}

/// The code of the diagnostic that refuses the whole package.
std::string refusal(std::vector<TreeEntry> entries) {
  const auto contents = inspect(names({}).with(std::move(entries)));
  return contents.refused ? contents.refused->code : "";
}

std::string problem(const PackageContents& contents) {
  const auto found = contents.sources.find(kLab);
  return found != contents.sources.end() && found->second.problem ? found->second.problem->code : "";
}

}  // namespace

TEST_CASE("a source is found in the places that labs require") {
  CHECK(place({"tiled_matmul.cu"}) == "tiled_matmul.cu");
  CHECK(place({"02-tiled-matmul/tiled_matmul.cu", "tiled_matmul.cu"}) == "02-tiled-matmul/tiled_matmul.cu");
  CHECK(place({"handin/", "handin/tiled_matmul.cu"}) == "handin/tiled_matmul.cu");
  CHECK(place({"a/b/02-tiled-matmul/tiled_matmul.cu", "a/b/README"}) ==
        "a/b/02-tiled-matmul/tiled_matmul.cu");
  CHECK(place({"h\\tiled_matmul.cu", "__MACOSX/h/._tiled_matmul.cu", ".DS_Store"}) == "h\\tiled_matmul.cu");
}

TEST_CASE("a source elsewhere or under another name is not accepted, but hinted at") {
  for (const std::vector<std::string>& paths : {std::vector<std::string>{"x/tiled_matmul.cu", "notes.txt"},
                                                {"tiled_matmul (1).cu"},
                                                {"Tiled_Matmul.cu"}}) {
    const auto contents = inspect(names(paths));
    CHECK_FALSE(contents.sources.contains(kLab));
    CHECK_THAT(contents.hints.at(kLab), contains(paths.front()));
  }
  CHECK(inspect(names({"02-tiled-matmul/other.cu"})).hints.at(kLab).empty());
  CHECK_FALSE(inspect(names({"notes.txt"})).hints.contains(kLab));
}

TEST_CASE("answers to questions are found next to the source or at the top, for labs that ask") {
  std::vector<Lab> asking = labs();
  for (Lab& lab : asking) lab.questions.resize(1);
  const auto found = [&](std::vector<TreeEntry> entries) {
    return inspect_package(names({}).with(std::move(entries)), "p.zip", asking).answers;
  };
  const auto both = found({tree_entry("02-tiled-matmul/answers.json"), tree_entry("answers.json")});
  CHECK(both.at(kLab).entry.path == "02-tiled-matmul/answers.json");
  CHECK(both.at("03-reduction").entry.path == "answers.json");
  CHECK(inspect(names({"answers.json"})).answers.empty());
  CHECK(found({tree_entry("other/answers.json"), tree_entry("x.cu")}).empty());

  CHECK(found({tree_entry("answers.json", EntryKind::symbolic_link)}).at(kLab).problem->code == "WG-S11");
  CHECK(found({tree_entry("answers.json"), tree_entry("./answers.json")}).at(kLab).problem->code == "WG-S14");
  TreeEntry large = tree_entry("answers.json");
  large.size = 65537;
  CHECK_THAT(found({large}).at(kLab).problem->what, contains("more than 65536 bytes"));
}

TEST_CASE("names that lead out of the package cause a refusal") {
  for (const char* path : {"../tiled_matmul.cu", "/tmp/tiled_matmul.cu", "a/../../b", "C:\\a"})
    CHECK(refusal({tree_entry("tiled_matmul.cu"), tree_entry(path)}) == "WG-S12");
}

TEST_CASE("devices and pipes cause a refusal") {
  CHECK(refusal({tree_entry("tiled_matmul.cu"), tree_entry("x", EntryKind::special)}) == "WG-S12");
}

TEST_CASE("a file below a link causes a refusal, and a link next to it does not") {
  CHECK(refusal({tree_entry("d", EntryKind::symbolic_link), tree_entry("d/tiled_matmul.cu")}) == "WG-S12");
  const auto contents =
      inspect(names({"tiled_matmul.cu"})
                  .with({tree_entry("tiled_matmul.cu"), tree_entry("venv", EntryKind::symbolic_link),
                         tree_entry("copy.cu", EntryKind::hard_link)}));
  CHECK(contents.sources.contains(kLab));
  CHECK(contents.notes == std::vector<std::string>{"2 links were left out"});
}

TEST_CASE("a link or folder in the source's place is refused for that lab only") {
  for (const EntryKind kind : {EntryKind::symbolic_link, EntryKind::hard_link, EntryKind::folder}) {
    const auto contents =
        inspect(names({}).with({tree_entry("tiled_matmul.cu", kind), tree_entry("reduction.cu")}));
    CHECK(problem(contents) == "WG-S11");
    CHECK_FALSE(contents.sources.at("03-reduction").problem);
  }
}

TEST_CASE("the same name twice is ambiguous, and another spelling is reported") {
  CHECK(problem(inspect(names({"tiled_matmul.cu", "./tiled_matmul.cu"}))) == "WG-S14");
  const auto contents = inspect(names({"tiled_matmul.cu", "Tiled_Matmul.cu"}));
  CHECK(problem(contents).empty());
  REQUIRE(contents.notes.size() == 1);
  CHECK_THAT(contents.notes.front(), contains("Tiled_Matmul.cu") && contains("case-sensitive"));
}

TEST_CASE("unavailable contents are reported by kind") {
  TreeEntry entry = tree_entry("tiled_matmul.cu");
  const auto code = [&](Contents contents) {
    entry.contents = contents;
    return problem(inspect(names({}).with({entry})));
  };
  CHECK(code(Contents::present).empty());
  CHECK(code(Contents::encrypted) == "WG-S15");
  CHECK(code(Contents::damaged) == "WG-S11");
  CHECK(code(Contents::too_large) == "WG-S11");
}

TEST_CASE("too many entries cause a refusal") {
  CHECK(inspect_package(names({"a", "b", "c"}), "p", labs(), {2}).refused->code == "WG-S13");
}

TEST_CASE("archives at the top are listed, deeper ones only noted") {
  const auto contents = inspect(names({"tiled_matmul.cu", "more.ZIP", "x/deep.tar.gz"}));
  REQUIRE(contents.archives.size() == 1);
  CHECK(contents.archives.front().path == "more.ZIP");
  REQUIRE(contents.notes.size() == 1);
  CHECK_THAT(contents.notes.front(), contains("deep.tar.gz"));
}

}  // namespace package_test
