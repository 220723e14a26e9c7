// `warpgrade pictures` as a user runs it, and what `warpgrade report` shows of its files.
#include <algorithm>

#include "catch.hpp"
#include "e2e/class_fixture.hpp"
#include "schema_check.hpp"

namespace pictures_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

/// A wrong solution of lab 02.
std::string mistake(const std::string& name) {
  return text_of(source_folder() / "solutions" / "02-tiled-matmul" / "wrong" / (name + ".cu"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the source has no " + from);
  return text.replace(at, from.size(), to);
}

/// Wrong values, terminal codes and markup in its output, and lines that claim to be of other files.
std::string attacking_source() {
  const std::string text = replaced(mistake("floor_instead_of_ceil"), "  tiled_kernel<<<",
                                    "  printf(\"\\x1b[2J<script>alert(1)</script>\");\n  tiled_kernel<<<");
  return "#include <stdio.h>\n" + replaced(text, "  const int ty = threadIdx.y;",
                                           "#line 7000 \"<script>alert(2)</script>\\x1b[2J.cu\"\n"
                                           "  const int ty = threadIdx.y;\n#line 9000 \"tiled_matmul.cu\"");
}

class PicturesFixture : public ClassFixture {
 public:
  void add_text(const std::string& id, const std::string& source) const {
    write(submissions() / id / "02-tiled-matmul" / "tiled_matmul.cu", source);
  }
  fs::path pictures() const { return out().parent_path() / "pictures"; }
  fs::path pictures_of(const std::string& folder) const { return pictures() / folder / "02-tiled-matmul"; }
  Ended draw(const std::vector<std::string>& more = {}, const Setting& setting = {}) const {
    std::vector<std::string> command = {"pictures", out().string(), "--out", pictures().string()};
    command.insert(command.end(), more.begin(), more.end());
    return warpgrade(command, setting);
  }
  /// The page of a submission.
  std::string page(const std::string& id, std::vector<std::string> more = {}) const {
    const fs::path pages = out().parent_path() / "pages";
    more.insert(more.begin(), {"report", out().string(), "--out", pages.string(), "--pictures",
                               pictures().string(), "--force"});
    const Ended report = warpgrade(more);
    INFO(report.err);
    CHECK(report.code == 0);
    return text_of(pages / "submissions" / (id + ".html"));
  }
};

bool exists_png(const fs::path& file) { return fs::exists(file) && text_of(file).starts_with("\x89PNG"); }

}  // namespace

TEST_CASE("a class gets pictures and counters of lines, which the report shows", "[slow]") {
  const PicturesFixture fixture;
  fixture.add("right", solution());
  fixture.add_text("wrong", attacking_source());
  fixture.add_text("wrong-too", attacking_source());
  fixture.add_text("broken", "int main( {");
  fixture.add("crashes", bad_input("host_crash"));
  REQUIRE(fixture.grade({}).code == 0);

  const Ended drawn = fixture.draw();
  INFO(drawn.err);
  CHECK(drawn.code == 0);
  CHECK_THAT(drawn.out, contains("pictures of 3 results") && contains("warpgrade report "));
  CHECK_THAT(drawn.err, contains("note: broken, 02-tiled-matmul: no pictures: WG-C01: ") &&
                            contains("note: crashes, 02-tiled-matmul: case square-256 is not drawn: WG-H"));
  CHECK_THAT(drawn.out + drawn.err, !contains("\x1b") && !contains("alert"));
  for (const char* name : {"roofline-lecture.svg", "timeline.svg", "tiled_kernel-divergence.svg"})
    for (const char* id : {"right", "wrong"}) CHECK(fs::exists(fixture.pictures_of(id) / name));
  CHECK(exists_png(fixture.pictures_of("wrong") / "17x33x65-P-errors.png"));
  CHECK(text_of(fixture.pictures_of("wrong") / "17x33x65-P-errors.png") ==
        text_of(fixture.pictures_of("wrong-too") / "17x33x65-P-errors.png"));
  CHECK_FALSE(fs::exists(fixture.pictures_of("broken")));
  CHECK_FALSE(fs::exists(fixture.pictures_of("crashes")));
  const auto counters = nlohmann::json::parse(text_of(fixture.pictures_of("wrong") / "line-counters.json"));
  CHECK(SchemaCheck::of("line-counters.schema.json").problems(counters).empty());
  const auto& lines = counters["lines"];
  CHECK(counters["case"] == "square-256");
  CHECK(std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line["line"] >= 9000; }));
  CHECK(std::none_of(lines.begin(), lines.end(), [](const auto& line) { return line["line"] == 7000; }));

  const std::string page = fixture.page("wrong");
  CHECK_THAT(page, contains("in case <code>square-256</code>") && contains("Errors in P of case 17x33x65") &&
                       contains("&lt;script&gt;alert(2)") && contains("Blue values are NaN"));
  CHECK_THAT(page, !contains("<script") && !contains("\x1b"));
  CHECK_THAT(fixture.page("right"), contains("Roofline of the device lecture") &&
                                        contains("Roofline of the device h200") && contains("sectors/ideal"));
  CHECK_THAT(fixture.page("wrong", {"--for-students"}), contains("sectors/ideal"));
}

TEST_CASE("a second run replaces its own files and no others", "[slow]") {
  const PicturesFixture fixture;
  fixture.add_text("a", mistake("floor_instead_of_ceil"));
  REQUIRE(fixture.grade({}).code == 0);
  const fs::path folder = fixture.pictures_of("a"), elsewhere = fixture.pictures() / "elsewhere.png";
  write(elsewhere, "not of the submission");
  write(folder / "old.png", "of an earlier version");
  write(folder / "notes.txt", "of the instructor");
  fs::create_directory(folder / "folder.png");
  fs::create_symlink(elsewhere, folder / "timeline.svg");
  REQUIRE(fixture.draw().code == 0);
  CHECK_FALSE(fs::exists(folder / "old.png"));
  CHECK(fs::exists(folder / "notes.txt"));
  CHECK(fs::is_directory(folder / "folder.png"));
  CHECK(text_of(elsewhere) == "not of the submission");
  CHECK_FALSE(fs::is_symlink(folder / "timeline.svg"));
  const std::string before = text_of(folder / "line-counters.json");
  REQUIRE(fixture.draw({"--jobs", "1", "--device-threads", "2"}).code == 0);
  CHECK(text_of(folder / "line-counters.json") == before);

  // A file that the class no longer has is left out.
  fs::remove_all(fixture.out() / "sources");
  const Ended none = fixture.draw();
  CHECK(none.code == 4);
  CHECK_THAT(none.err, contains("is not in " + fixture.out().string() + "/sources"));
}

TEST_CASE("secret inputs are not drawn", "[slow]") {
  const PicturesFixture fixture;
  fixture.add_text("a", mistake("floor_instead_of_ceil"));
  write(fixture.out().parent_path() / "seed", "sixteen bytes of secret, at least");
  REQUIRE(fixture.grade({"--seed-file", (fixture.out().parent_path() / "seed").string()}).code == 0);
  const Ended drawn = fixture.draw();
  CHECK(drawn.code == 0);
  CHECK_THAT(drawn.err, contains("has secret inputs and is not drawn (1 file)"));
  CHECK(fs::exists(fixture.pictures_of("a") / "roofline-lecture.svg"));
  CHECK_THAT(fixture.page("a"), contains("sectors/ideal"));
  CHECK_THAT(fixture.page("a", {"--for-students"}), !contains("sectors/ideal") && !contains("Roofline"));
}

TEST_CASE("a submission that runs too long has no pictures, and the run goes to its end", "[slow]") {
  const PicturesFixture fixture;
  fixture.add("hangs", bad_input("endless_host_loop"));
  REQUIRE(fixture.grade({"--time-limit", "1"}).code == 0);
  const Ended drawn = fixture.draw({"--time-limit", "1"});
  CHECK(drawn.code == 0);
  CHECK_THAT(drawn.err, contains("note: hangs, 02-tiled-matmul: case square-256 is not drawn: WG-H03"));
  CHECK_THAT(drawn.out, contains("pictures of 0 results"));
  CHECK_FALSE(fs::exists(fixture.pictures_of("hangs")));
}

TEST_CASE("Ctrl-C ends the drawing of a class and keeps what is finished", "[slow]") {
  const PicturesFixture fixture;
  fixture.add("a", solution());
  fixture.add("b", bad_input("endless_host_loop"));
  REQUIRE(fixture.grade({"--time-limit", "1"}).code == 0);
  const fs::path finished = fixture.pictures_of("a") / "timeline.svg";
  const Ended ended = fixture.draw({"--jobs", "1"}, {.interrupt_when = finished});
  CHECK(ended.code == 130);
  CHECK_THAT(ended.err, contains("interrupted: 1 of 2 files are drawn"));
  CHECK(fs::exists(finished));
}

TEST_CASE("pictures that cannot be made give advice and the exit code of their reason") {
  const Ended no_class = warpgrade({"pictures", "/dev/null/results", "--out", "/dev/null/pictures"});
  CHECK(no_class.code == 2);
  CHECK_THAT(no_class.err, contains("WG-G55") && contains("summary.json"));
  const PicturesFixture fixture;
  write(fixture.submissions() / "alice" / "notes.txt", "the file was forgotten");
  REQUIRE(fixture.grade({}).code == 0);
  CHECK(fixture.draw().code == 4);
  CHECK(fixture.draw({"--lab", "99"}).code == 2);
  CHECK(fixture.draw({"--device", "cuda"}).code == 2);
}

TEST_CASE("pictures that cannot be written end the run with the reason", "[slow]") {
  const PicturesFixture fixture;
  fixture.add("a", solution());
  REQUIRE(fixture.grade({}).code == 0);
  write(fixture.pictures(), "a file, not a folder");
  const Ended ended = fixture.draw();
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, contains("error[WG-G21]") && contains(fixture.pictures().string()));
}

}  // namespace pictures_test
