#include "packing/archive_writer.hpp"

#include "catch.hpp"
#include "packages/archives.hpp"

namespace archive_writer_test {

using namespace grader;
using namespace testing;

namespace {

PackedFiles files() {
  return {{"kit/b.cu", {"b"}},
          {"kit/a/long.cu", {std::string(100'000, 'x')}},
          {"kit/program.cu", {"p", PackedFile::Kind::program}},
          {"kit/link", {"program.cu", PackedFile::Kind::link}}};
}

}  // namespace

TEST_CASE("an archive's format follows from the name") {
  CHECK(archive_format("a.zip") == ArchiveFormat::zip);
  CHECK(archive_format("a.tar.gz") == ArchiveFormat::tar_gz);
  CHECK(archive_format("a.tgz") == ArchiveFormat::tar_gz);
  CHECK(archive_format("a.tar.xz") == ArchiveFormat::tar_xz);
  for (const char* name : {"a", "a.tar", "a.zip.txt", "a.7z", ""}) CHECK_FALSE(archive_format(name));
}

TEST_CASE("what is packed can be read again, and the same files give the same bytes") {
  for (const ArchiveFormat format : {ArchiveFormat::zip, ArchiveFormat::tar_gz, ArchiveFormat::tar_xz}) {
    const auto bytes = write_archive(files(), format);
    REQUIRE(bytes);
    CHECK(*bytes == *write_archive(files(), format));
    const ReadBack read = read_back(*bytes);
    CHECK(read.outcome.end == ArchiveEnd::complete);
    REQUIRE(read.entries.size() == 4);
    CHECK(read.entries.front().path == "kit/a/long.cu");
    REQUIRE(read.find("kit/b.cu") != nullptr);
    CHECK(read.find("kit/b.cu")->bytes == "b");
    CHECK(read.find("kit/a/long.cu")->bytes.size() == 100'000);
    CHECK(read.find("kit/link")->kind == EntryKind::symbolic_link);
  }
}

}  // namespace archive_writer_test
