#include "packages/archive.hpp"

#include "catch.hpp"
#include "packages/archives.hpp"
#include "packages/zip_directory.hpp"

namespace archive_test {

using namespace grader;
using namespace testing;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr Format kFormats[] = {Format::zip, Format::tar, Format::tar_gz, Format::tar_xz, Format::seven_zip};

}  // namespace

TEST_CASE("every format gives the selected file's bytes and the names of the others") {
  for (const Format format : kFormats) {
    CAPTURE(static_cast<int>(format));
    const auto read = read_back(make_archive(
        format,
        {{"lab2", "", Type::folder}, {"lab2/a.cu", "text"}, {"lab2/notes.txt", "left"}, {"B.CU", "b"}}));
    CHECK(read.outcome.end == ArchiveEnd::complete);
    REQUIRE(read.find("lab2/a.cu") != nullptr);
    CHECK(read.find("lab2/a.cu")->bytes == "text");
    CHECK(read.find("B.CU")->bytes == "b");
    CHECK(read.find("lab2/notes.txt")->contents == Contents::not_selected);
  }
}

TEST_CASE("names that are not ASCII are kept") {
  for (const Format format : {Format::zip, Format::tar, Format::seven_zip})
    CHECK(read_back(make_archive(format, {{"Übung/a.cu"}})).find("Übung/a.cu") != nullptr);
}

TEST_CASE("links, devices and pipes are distinguished from files") {
  const auto read = read_back(make_archive(Format::tar, {{"s", "", Type::symbolic_link},
                                                         {"h", "", Type::hard_link},
                                                         {"d", "", Type::device},
                                                         {"p", "", Type::fifo}}));
  CHECK(read.find("s")->kind == EntryKind::symbolic_link);
  CHECK(read.find("h")->kind == EntryKind::hard_link);
  CHECK(read.find("d")->kind == EntryKind::special);
  CHECK(read.find("p")->kind == EntryKind::special);
  CHECK(read_back(make_archive(Format::zip, {{"a.cu", "", Type::symbolic_link}})).find("a.cu")->kind ==
        EntryKind::symbolic_link);
}

TEST_CASE("a selected file above its limit is named, not read") {
  const auto read =
      read_back(make_archive(Format::zip, {{"a.cu", std::string(kMiB + 1, 'x')}, {"b.cu", "b"}}));
  CHECK(read.outcome.end == ArchiveEnd::complete);
  CHECK(read.find("a.cu")->contents == Contents::too_large);
  CHECK(read.find("a.cu")->bytes.empty());
  CHECK(read.find("b.cu")->bytes == "b");
}

TEST_CASE("an encrypted file is reported as encrypted") {
  const auto read = read_back(make_archive(Format::encrypted_zip, {{"a.cu"}}));
  CHECK(read.outcome.end == ArchiveEnd::complete);
  CHECK(read.find("a.cu")->contents == Contents::encrypted);
}

TEST_CASE("a file that is not an archive is reported") {
  for (const std::string& bytes :
       {std::string(), std::string("PK"), std::string("int main() {}\n"), std::string(5000, 'x'),
        std::string("Rar!\x1a\x07\x01\x00", 8), gzipped("just text", 1)})
    CHECK(read_back(bytes).outcome.end == ArchiveEnd::not_an_archive);
}

TEST_CASE("a truncated archive is refused, whatever its length") {
  for (const Format format : kFormats) {
    const std::string whole = make_archive(format, {{"a.cu", std::string(3000, 'x')}, {"b.cu", "second"}});
    for (const std::size_t part : {std::size_t{40}, whole.size() / 2, whole.size() - 30}) {
      CAPTURE(static_cast<int>(format), part);
      const auto read = read_back(whole.substr(0, part));
      // A tar is complete if only padding is missing.
      const bool only_padding = format == Format::tar && read.find("b.cu") != nullptr;
      CHECK((read.outcome.end != ArchiveEnd::complete || only_padding));
    }
  }
}

TEST_CASE("a zip entry whose bytes do not match its checksum is damaged") {
  const std::string archive =
      make_archive(Format::zip, {{"a.cu", std::string("0123456789") + std::string(40, 'x')}});
  const auto read =
      read_back(with_replaced(archive, archive.substr(archive.find("a.cu") + 36, 2), "\x07\x07", 0));
  CHECK((read.outcome.end != ArchiveEnd::complete || read.find("a.cu")->contents == Contents::damaged));
}

TEST_CASE("a zip whose directory names other files than its entries is refused") {
  const std::string archive = make_archive(Format::zip, {{"good.cu"}, {"note.tx"}});
  REQUIRE(read_back(archive).outcome.end == ArchiveEnd::complete);
  // The name occurs twice: before the file and in the directory.
  CHECK(read_back(with_replaced(archive, "note.tx", "evil.cu", 0)).outcome.end == ArchiveEnd::contradictory);
  CHECK(read_back(with_replaced(archive, "note.tx", "evil.cu", 1)).outcome.end == ArchiveEnd::contradictory);
}

TEST_CASE("names in a zip can differ in characters that libarchive converts") {
  CHECK(name_the_same_files({"a\\b.cu", "d/"}, {"d", "a/b.cu"}));
  CHECK(name_the_same_files({"U\xcc\x88.cu", "a.cu"}, {"\xc3\x9c.cu", "a.cu"}));
  CHECK(name_the_same_files({"__MACOSX/._a.cu", "a.cu"}, {"a.cu"}));
  CHECK_FALSE(name_the_same_files({"a.cu"}, {"a.cu", "a.cu"}));
}

TEST_CASE("bombs are refused by their declared sizes, without being unpacked") {
  SECTION("a file of zeros") {
    const auto read = read_back(make_archive(Format::zip, {{"zeros.bin", std::string(70 * kMiB, '\0')}}));
    CHECK(read.outcome.end == ArchiveEnd::bomb);
  }
  SECTION("a tar that declares terabytes") {
    const std::uint64_t tebibyte = std::uint64_t{1} << 32U;
    CHECK(read_back(gzipped(tar_header("a.cu", tebibyte), 1)).outcome.end == ArchiveEnd::too_large);
  }
  SECTION("many files, none too large") {
    std::string archive;
    for (int i = 0; i < 5; ++i)
      archive += tar_header("a" + std::to_string(i) + ".bin", 512) + std::string(512, '\1');
    CHECK(read_back(archive, {20, 2048, kMiB}).outcome.end == ArchiveEnd::too_large);
    CHECK(read_back(archive, {4, kMiB, kMiB}).outcome.end == ArchiveEnd::too_many_entries);
  }
  SECTION("selected files of allowed size, but too many") {
    std::vector<Member> members;
    for (int i = 0; i < 3; ++i) members.push_back({std::to_string(i) + ".cu", std::string(1000, 'x')});
    CHECK(read_back(make_archive(Format::tar, members), {20, kMiB, 2500}).outcome.end ==
          ArchiveEnd::too_large);
  }
  SECTION("gzip in gzip in gzip …, as in a file that unpacks to itself") {
    CHECK(read_back(gzipped(make_archive(Format::tar, {{"a.cu"}}), 40)).outcome.end != ArchiveEnd::complete);
  }
}

TEST_CASE("in an archive of a class, too many files of one student do not stop others") {
  ArchiveLimits limits;
  limits.entries_each = 2;
  limits.selected_bytes_each = 10;
  const auto read = read_back(
      make_archive(
          Format::zip,
          {{"e/a/1.cu", "12345"}, {"e/a/2.cu", "123456"}, {"e/a/3.cu", "1"}, {"e/b/1.cu", "0123456789"}}),
      limits);
  CHECK(read.outcome.end == ArchiveEnd::complete);
  CHECK(read.find("e/a/1.cu")->bytes == "12345");
  CHECK(read.find("e/a/2.cu")->contents == Contents::too_large);
  CHECK(read.find("e/a/3.cu") == nullptr);
  CHECK(read.find("e/b/1.cu")->bytes == "0123456789");
}

TEST_CASE("an archive in an archive is an entry like any other") {
  const std::string inner = make_archive(Format::zip, {{"a.cu"}});
  const auto read = read_back(make_archive(Format::zip, {{"inner.zip", inner}}));
  REQUIRE(read.entries.size() == 1);
  CHECK(read.entries.front().contents == Contents::not_selected);
}

}  // namespace archive_test
