#include <algorithm>
#include <regex>

#include "base/sha256.hpp"
#include "catch.hpp"
#include "release/archived_kit.hpp"
#include "release/secrets.hpp"

namespace archive_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path());
  return files;
}

/// Lines of solutions, oracles, tests and instructors' pages that students do not get elsewhere.
std::set<std::string> secrets() {
  const fs::path kit = source_folder();
  std::set<std::string> lines = lines_below(
      {kit / "solutions", kit / "grader/workloads", kit / "grader/tests", kit / "handout/instructor"});
  const auto is_public = [&](const fs::path& folder) {
    for (const std::string& line : lines_below({folder})) lines.erase(line);
  };
  for (const char* folder :
       {"labs", "handout/student", "handout/archive", "datasets", "grader/vgpu/cudart/include"})
    is_public(kit / folder);
  // Tests and programs have includes and command lines in common with the product, which is in the archive
  // compiled.
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("#include") || line.starts_with("warpgrade ");
  });
  return lines;
}

}  // namespace

TEST_CASE("the search for secrets finds a line in a text and in a program") {
  const std::set<std::string> secrets = {"P[row * n + column] = sum; // the answer"};
  CHECK(secrets_in("a\n  P[row * n + column] = sum; // the answer\r\nb", secrets).size() == 1);
  const std::string program = std::string("\x7f\x45LF\0", 5) + *secrets.begin() + std::string("\0\1", 2);
  CHECK(secrets_in(program, secrets).size() == 1);
  CHECK(secrets_in("P[row * n + column] = sum;", secrets).empty());
}

TEST_CASE("the student archive contains no solution, oracle, test or instructor's page", "[slow]") {
  const ArchivedKit kit;
  const std::set<std::string> hidden = secrets();
  REQUIRE(hidden.size() > 5000);
  for (const fs::path& file : files_below(kit.folder())) {
    INFO(file);
    const std::vector<std::string> found = secrets_in(text_of(file), hidden);
    CHECK(found == std::vector<std::string>{});
    for (const char* name : {"solution", "accepted", "wrong", "instructor", "sample-class", "tests",
                             "naive.cu", "workload.cpp", "seed"})
      CHECK(file.lexically_relative(kit.folder()).string().find(name) == std::string::npos);
  }
}

TEST_CASE("the same kit gives the same archive", "[slow]") {
  const ArchivedKit kit;
  const grader::TemporaryFolder again("release");
  REQUIRE(release(again.path() / "course.tar.gz").code == 0);
  CHECK(grader::sha256_hex(text_of(again.path() / "course.tar.gz")) ==
        grader::sha256_hex(text_of(kit.archive())));
}

TEST_CASE("the unpacked archive checks a lab, explains, packs a hand-in, and names what it cannot do",
          "[slow]") {
  const ArchivedKit kit;
  const Ended first = kit.warpgrade({"check", "00-warm-up"});
  INFO(first.err);
  CHECK(first.code == 1);
  CHECK_THAT(first.out, contains("WG-H12") && contains("0/100 points"));
  CHECK(kit.warpgrade({"explain", "WG-H12"}).code == 0);

  fs::copy_file(source_folder() / "solutions/00-warm-up/saxpy.cu", kit.folder() / "labs/00-warm-up/saxpy.cu",
                fs::copy_options::overwrite_existing);
  const Ended solved = kit.warpgrade({"check", "00-warm-up"});
  INFO(solved.out << solved.err);
  CHECK(solved.code == 0);
  CHECK_THAT(solved.out, contains("100/100 points"));
  CHECK_THAT(kit.warpgrade({"handin", "00-warm-up"}).out, contains("100/100 points"));
  CHECK(kit.warpgrade({"datasets", "verify"}).code == 0);

  for (const std::vector<std::string>& command : {std::vector<std::string>{"lint"},
                                                  {"calibrate"},
                                                  {"pictures", "x", "--out", "y"},
                                                  {"release", "--out", "x.tar.xz"},
                                                  {"grade", ".", "--out", "x"}}) {
    const Ended refused = kit.warpgrade(command);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, contains("WG-G71") && contains("`" + command.front() + "`"));
  }
}

TEST_CASE("a student can work on a copy of labs/, anywhere", "[slow]") {
  const ArchivedKit kit;
  const grader::TemporaryFolder home("home");
  fs::copy(kit.folder() / "labs", home.path() / "my-labs", fs::copy_options::recursive);
  const fs::path lab = home.path() / "my-labs" / "00-warm-up";
  write(lab / "saxpy.cu", "#error mine\n");
  const Ended checked = run({(kit.folder() / "warpgrade").string(), "check"},
                            {.folder = lab, .environment = {{"WARPGRADE_HOME", ""}}});
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, contains("mine"));
}

TEST_CASE("no page of the archive has a link that leads nowhere", "[slow]") {
  const ArchivedKit kit;
  const std::regex link(R"(\]\(([^()\s#:]+)(#[^()\s]*)?\))");
  std::size_t links = 0;
  for (const fs::path& file : files_below(kit.folder())) {
    if (file.extension() != ".md") continue;
    std::istringstream lines(text_of(file));
    for (std::string line; std::getline(lines, line);)
      for (std::sregex_iterator match(line.begin(), line.end(), link), end; match != end; ++match) {
        if (line.find('`') != std::string::npos) continue;  // code
        ++links;
        INFO(file << ": " << match->str());
        CHECK(fs::exists(file.parent_path() / match->str(1)));
      }
  }
  CHECK(links > 100);
}

TEST_CASE("every file of the kit that a page of the archive names is in the archive", "[slow]") {
  const ArchivedKit kit;
  const std::regex path(
      R"((grader|solutions|handout|labs|datasets)(/[A-Za-z0-9_.-]+)*/[A-Za-z0-9_.-]*[A-Za-z0-9_-])");
  // For a checkout (set-up.md), and for a book that an instructor can add.
  const std::set<std::string> not_packed = {"grader/setup.sh", "handout/book"};
  std::size_t names = 0;
  for (const fs::path& file : files_below(kit.folder())) {
    if (file.extension() != ".md") continue;
    const std::string text = text_of(file);
    for (std::sregex_iterator match(text.begin(), text.end(), path), end; match != end; ++match) {
      const std::string name = match->str();
      if (!fs::exists(source_folder() / name) || not_packed.contains(name)) continue;
      ++names;
      INFO(file << ": " << name);
      CHECK(fs::exists(kit.folder() / name));
    }
  }
  CHECK(names > 20);
}

TEST_CASE("the labs' cases can be run as tests in the unpacked archive", "[slow]") {
  const ArchivedKit kit;
  const Setting here{.folder = kit.folder()};
  const Ended configured = run({"/usr/bin/cmake", "--preset", "student"}, here);
  INFO(configured.out << configured.err);
  REQUIRE(configured.code == 0);
  const Ended tested = run({"/usr/bin/ctest", "--preset", "labs", "-L", "00-warm-up"}, here);
  CHECK(tested.code != 0);
  CHECK_THAT(tested.out, contains("00-warm-up/index/n-256") && contains("WG-H12"));
}

}  // namespace archive_test
