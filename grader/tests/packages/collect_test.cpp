// From the folder or archive that an instructor passes to each student's sources.
#include "packages/collect.hpp"

#include <fstream>

#include <sys/stat.h>

#include "base/files.hpp"
#include "packages/archives.hpp"
#include "packages/fixtures.hpp"
#include "packages/receipt.hpp"

namespace collect_test {

using namespace grader;
using namespace testing;
namespace fs = std::filesystem;

namespace {

const std::string kSource = "tiled_matmul.cu", kLab = "02-tiled-matmul";

void write(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

/// They ask questions, so that answers.json counts.
std::vector<Lab> asking_labs() {
  std::vector<Lab> asking = labs();
  for (Lab& one : asking) one.questions.resize(1);
  return asking;
}

OpenedClass open(const fs::path& place) {
  auto opened = open_class(place, asking_labs(), Layout::automatic, unpacker());
  if (!opened) FAIL(opened.error().reason.what);
  return *std::move(opened);
}

Collected collect(const OpenedClass& opened, const std::string& id) {
  for (const Upload& upload : opened.layout.uploads)
    if (upload.id == id) return *collect_sources(opened, upload, asking_labs(), unpacker());
  FAIL("no " << id);
  return {};
}

/// The bytes of the lab's file, or the code of the diagnostic.
std::string text_in(const std::map<std::string, CollectedSource>& files, const std::string& lab) {
  const auto found = files.find(lab);
  if (found == files.end()) return "nothing";
  if (const auto* bytes = std::get_if<SourceBytes>(&found->second)) return bytes->bytes;
  if (const auto* path = std::get_if<fs::path>(&found->second)) return *read_file(*path, 1000);
  return std::get<Diagnostic>(found->second).code;
}

std::string source(const Collected& collected, const std::string& lab = kLab) {
  return collected.problem ? collected.problem->code : text_in(collected.sources, lab);
}

std::string answers(const Collected& collected, const std::string& lab = kLab) {
  return text_in(collected.answers, lab);
}

std::string receipt(const Collected& collected) { return text_in(collected.receipts, kLab); }

/// A class archive in a folder of its own.
class Download {
 public:
  explicit Download(const std::vector<Member>& members, Format format = Format::zip) : folder_("download") {
    write(folder_.path() / "class.zip", make_archive(format, members));
  }
  OpenedClass open() const { return collect_test::open(folder_.path() / "class.zip"); }
  fs::path file() const { return folder_.path() / "class.zip"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("answers and the receipt are collected from the source's folder, with limits") {
  const TemporaryFolder folder("class");
  const std::string in_lab = kLab + "/";
  write(folder.path() / "a.zip", make_archive(Format::zip, {{in_lab + kSource, "a"},
                                                            {in_lab + "receipt.json", "r"},
                                                            {in_lab + "answers.json", "{}"},
                                                            {"receipt.json", "of another folder"}}));
  write(folder.path() / "b" / kSource, "b");
  write(folder.path() / "b" / "receipt.json", "rb");
  fs::create_symlink("receipt.json", folder.path() / "b" / "answers.json");
  write(folder.path() / "c.tar.gz",
        make_archive(Format::tar_gz,
                     {{kSource, "c"}, {"receipt.json", std::string(kMaxReceiptBytes + 1, ' ')}}));
  const auto opened = open(folder.path());
  CHECK(receipt(collect(opened, "a")) == "r");
  CHECK(answers(collect(opened, "a")) == "{}");
  CHECK(receipt(collect(opened, "b")) == "rb");
  CHECK(answers(collect(opened, "b")) == "WG-S11");
  const Collected too_large = collect(opened, "c");
  CHECK(source(too_large) == "c");
  CHECK(receipt(too_large) == "WG-S11");
}

TEST_CASE("a folder may contain folders and archives of every kind") {
  const TemporaryFolder folder("class");
  write(folder.path() / "a" / kSource, "a");
  write(folder.path() / "b.zip", make_archive(Format::zip, {{"x/" + kLab + "/" + kSource, "b"}}));
  write(folder.path() / "c.tar.gz", make_archive(Format::tar_gz, {{kSource, "c"}}));
  write(folder.path() / "d.7z", make_archive(Format::seven_zip, {{kSource, "d"}}));
  write(folder.path() / "e.tgz", make_archive(Format::tar_gz, {{"../" + kSource, "e"}}));
  write(folder.path() / "f.rar", "Rar!");
  write(folder.path() / "g" / "in.zip", make_archive(Format::zip, {{kSource, "g"}}));
  write(folder.path() / "h.zip", make_archive(Format::encrypted_zip, {{kSource, "h"}}));
  write(folder.path() / "i.zip",
        make_archive(Format::zip, {{"i.zip", make_archive(Format::zip, {{kSource}})}}));
  const auto opened = open(folder.path());
  for (const char* id : {"a", "b", "c", "d", "g"}) CHECK(source(collect(opened, id)) == id);
  CHECK(source(collect(opened, "e")) == "WG-S12");
  CHECK(source(collect(opened, "f")) == "WG-S11");
  CHECK(source(collect(opened, "h")) == "WG-S15");
  const auto nested = collect(opened, "i");
  CHECK(source(nested) == "nothing");
  CHECK_THAT(nested.hand_in.notes.front(), contains("archive in an archive"));
}

TEST_CASE("Canvas: the latest upload that contains the file counts, under its own name or Canvas's") {
  const Download download(
      {{"doe_1_10_tiled_matmul.cu", "first"},
       {"doe_1_30_tiled_matmul-1.cu", "last"},
       {"doe_1_20_lab.zip", make_archive(Format::zip, {{kSource, "zip"}, {"reduction.cu", "r"}})},
       {"roe_2_11_tiled_matmul (1).cu", "renamed by a browser"},
       {"moe_3_12_lab.zip", "PK not a zip"}});
  const auto opened = download.open();
  const auto doe = collect(opened, "doe_1");
  CHECK(source(doe) == "last");
  CHECK(source(doe, "03-reduction") == "r");
  CHECK(doe.hand_in.not_taken == std::vector<std::string>{"doe_1_20_lab.zip", "doe_1_10_tiled_matmul.cu"});
  CHECK(source(collect(opened, "roe_2")) == "WG-S10");
  CHECK(source(collect(opened, "moe_3")) == "WG-S11");
}

TEST_CASE("answers to questions come from folders, archives and single uploads, each with its own rules") {
  const Download canvas(
      {{"doe_1_10_tiled_matmul.cu", "a"},
       {"doe_1_11_answers.json", "first"},
       {"doe_1_12_answers-1.json", "last"},
       {"moe_3_12_lab.zip", make_archive(Format::zip, {{kSource, "m"}, {"answers.json", "in zip"}})},
       {"roe_2_11_tiled_matmul.cu", "none"}});
  const auto opened = canvas.open();
  CHECK(answers(collect(opened, "doe_1")) == "last");
  CHECK(source(collect(opened, "doe_1")) == "a");
  CHECK(answers(collect(opened, "moe_3")) == "in zip");
  CHECK(answers(collect(opened, "roe_2")) == "nothing");

  const TemporaryFolder folder("class");
  write(folder.path() / "ada" / kLab / kSource, "a");
  write(folder.path() / "ada" / kLab / "answers.json", "own");
  write(folder.path() / "ada" / "answers.json", "top");
  write(folder.path() / "bob" / kSource, "b");
  write(folder.path() / "bob" / "answers.json", std::string(70000, 'x'));
  write(folder.path() / "eve" / kSource, "e");
  fs::create_symlink("/etc/passwd", folder.path() / "eve" / "answers.json");
  write(folder.path() / "zed.tar.gz",
        make_archive(Format::tar_gz, {{kSource, "z"}, {"answers.json", std::string(70000, 'x')}}));
  const auto plain = open(folder.path());
  CHECK(answers(collect(plain, "ada")) == "own");
  CHECK(answers(collect(plain, "ada"), "03-reduction") == "top");
  for (const char* id : {"eve", "zed"}) CHECK(answers(collect(plain, id)) == "WG-S11");
  CHECK(source(collect(plain, "zed")) == "z");  // the source still counts
}

TEST_CASE("Moodle: archives in a student's folder are opened, and two candidates are not guessed") {
  const Download download(
      {{"Jane Doe_7_assignsubmission_file_/lab.zip", make_archive(Format::zip, {{"w/" + kSource, "jane"}})},
       {"Ben_8_assignsubmission_file_/" + kSource, "ben"},
       {"Ben_8_assignsubmission_file_/lab.zip", make_archive(Format::zip, {{kSource, "other"}})},
       {"Eve_9_assignsubmission_file_/a/../../" + kSource, "evil"}});
  const auto opened = download.open();
  CHECK(source(collect(opened, "Jane Doe_7")) == "jane");
  CHECK(source(collect(opened, "Ben_8")) == "WG-S14");
  CHECK(source(collect(opened, "Eve_9")) == "WG-S12");
}

TEST_CASE("Gradescope: the list gives names and mail addresses") {
  const Download download(
      {{"assignment_5_export/submission_metadata.yml",
        "submission_1:\n  :submitters:\n  - :name: Jane\n    :email: j@x\n    :sid: '7'\n"},
       {"assignment_5_export/submission_1/" + kSource, "jane"}},
      Format::tar_gz);
  const auto jane = collect(download.open(), "submission_1");
  CHECK(source(jane) == "jane");
  CHECK(jane.hand_in.people == std::vector<Identity>{{.name = "Jane", .email = "j@x", .sis_id = "7"}});
}

TEST_CASE("a bomb in one student's folder of a download does not stop others") {
  const Download download({{"submission_metadata.yml", "{}"},
                           {"submission_1/zeros.bin", std::string(70U << 20U, '\0')},
                           {"submission_1/" + kSource, "mallory"},
                           {"submission_2/" + kSource, "alice"}});
  CHECK(source(collect(download.open(), "submission_2")) == "alice");
}

TEST_CASE("unpacked downloads give the same result") {
  const TemporaryFolder folder("class");
  write(folder.path() / "doe_LATE_1_10_tiled_matmul-3.cu", "doe");
  write(folder.path() / ".DS_Store", "");
  const auto doe = collect(open(folder.path()), "doe_1");
  CHECK(source(doe) == "doe");
  CHECK(doe.hand_in.late == true);
}

TEST_CASE("an archive of a class whose names lead out of it is refused as a whole") {
  for (const std::string& path : {"../alice/" + kSource, "/alice/" + kSource}) {
    const Download download({{path}, {"bob/" + kSource}}, Format::tar);
    const auto opened = open_class(download.file(), labs(), Layout::automatic, unpacker());
    REQUIRE_FALSE(opened);
    CHECK(opened.error().reason.code == "WG-S12");
  }
}

TEST_CASE("links and pipes among submissions are refused, without waiting for a pipe") {
  const TemporaryFolder folder("class");
  write(folder.path() / "elsewhere" / kSource, "x");
  fs::create_symlink(folder.path() / "elsewhere", folder.path() / "link");
  fs::create_symlink("/etc/passwd", folder.path() / "z.zip");
  REQUIRE(::mkfifo((folder.path() / "pipe.zip").c_str(), 0600) == 0);
  const auto opened = open(folder.path());
  for (const char* id : {"link", "z", "pipe"}) CHECK(source(collect(opened, id)) == "WG-S11");
}

TEST_CASE("one student's hundred thousand files do not stop others") {
  const TemporaryFolder folder("class");
  write(folder.path() / "alice" / kSource, "alice");
  fs::create_directories(folder.path() / "mallory");
  for (int i = 0; i < 20'001; ++i) std::ofstream(folder.path() / "mallory" / std::to_string(i));
  const auto opened = open(folder.path());
  CHECK(source(collect(opened, "alice")) == "alice");
  CHECK(source(collect(opened, "mallory")) == "WG-S13");
}

TEST_CASE("a missing path and a file that is not an archive are errors") {
  const TemporaryFolder folder("class");
  CHECK(open_class(folder.path() / "none", labs(), Layout::automatic, unpacker()).error().reason.code ==
        "WG-G20");
  write(folder.path() / "notes.txt", "text");
  CHECK(open_class(folder.path() / "notes.txt", labs(), Layout::automatic, unpacker()).error().reason.code ==
        "WG-S11");
  CHECK(open(folder.path()).layout.uploads.empty());
}

}  // namespace collect_test
