// Unpacking in sandboxes, and both ends of the stream between sandbox and grader.
#include "packages/unpacking.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/random.hpp"
#include "packages/archives.hpp"
#include "packages/boxed_reader.hpp"
#include "packages/entry_stream.hpp"
#include "packages/fixtures.hpp"

namespace unpacking_test {

using namespace grader;
using namespace testing;

namespace {

Expected<FileTree, UnpackFailure> unpack(const std::string& bytes, const UnpackLimits& limits = {}) {
  return unpacker().unpack_bytes(bytes, "a.zip", {{".cu", 1U << 20U}}, limits);
}

std::string refusal(const std::string& bytes, const UnpackLimits& limits = {}) {
  const auto result = unpack(bytes, limits);
  if (result) return "";
  CHECK_FALSE(result.error().is_fault);
  return result.error().reason.code;
}

/// The bytes that the sandboxed program would write.
std::string stream_of(const std::vector<ArchiveEntry>& entries) {
  char* bytes = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&bytes, &size);
  for (const ArchiveEntry& entry : entries) write_entry(out, entry);
  write_end(out, {ArchiveEnd::complete, ""});
  std::fclose(out);
  std::string result(bytes, size);
  std::free(bytes);
  return result;
}

}  // namespace

TEST_CASE("unpacking gives the names of all entries and the bytes of selected files") {
  const auto tree = unpack(make_archive(Format::tar_gz, {{"lab2/a.cu", "text"}, {"Übung.txt", "left"}}));
  REQUIRE(tree);
  REQUIRE(tree->entries().size() == 2);
  CHECK(tree->entries()[0].path == "lab2/a.cu");
  CHECK(*tree->read(tree->entries()[0], 100) == "text");
  CHECK(tree->entries()[1].path == "Übung.txt");
  CHECK_FALSE(tree->read(tree->entries()[1], 100));
  CHECK_FALSE(tree->read(tree->entries()[0], 3));
}

TEST_CASE("each reason not to unpack has its code") {
  CHECK(refusal("no archive") == "WG-S11");
  CHECK(refusal(make_archive(Format::tar_gz, {{"a.cu"}}).substr(0, 60)) == "WG-S11");
  const std::string zip = make_archive(Format::zip, {{"good.cu"}, {"note.tx"}});
  CHECK(refusal(with_replaced(zip, "note.tx", "evil.cu", 1)) == "WG-S12");
  UnpackLimits few;
  few.archive.entries = 1;
  CHECK(refusal(zip, few) == "WG-S13");
}

TEST_CASE("randomly damaged archives are accepted or refused, and are never a fault") {
  SplitMix64 random(7);
  for (const Format format : {Format::zip, Format::tar_gz, Format::tar_xz, Format::seven_zip}) {
    const std::string whole =
        make_archive(format, {{"a.cu", std::string(500, 'x')}, {"d/b.cu", "second"}, {"c.txt", "third"}});
    for (int round = 0; round < 15; ++round) {
      std::string bytes = whole;
      for (int i = 0; i < 3; ++i) bytes[random.below(bytes.size())] = static_cast<char>(random());
      const auto result = unpack(bytes);
      CHECK((result || !result.error().is_fault));
    }
  }
}

TEST_CASE("the sandboxed program's output is treated as hostile") {
  const std::string good = stream_of({{"a.cu", EntryKind::file, Contents::present, 4, "text"},
                                      {"b", EntryKind::symbolic_link, Contents::not_selected, 9, ""}});
  const auto index = index_entries(file_in_memory(good).get());
  REQUIRE(index);
  CHECK(index->entries.size() == 2);
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_FALSE(index_entries(file_in_memory(good.substr(0, size)).get()));
  SplitMix64 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    bytes[random.below(bytes.size())] = static_cast<char>(random());
    const auto mutated = index_entries(file_in_memory(bytes).get());
    if (!mutated) continue;
    for (const TreeEntry& entry : mutated->entries)
      if (entry.contents == Contents::present) CHECK(entry.offset + entry.size <= bytes.size());
  }
}

TEST_CASE("a roster is read in a box") {
  const auto roster = unpacker().read_roster("submission_1:\n  :submitters:\n  - :name: Jane\n");
  REQUIRE(roster);
  CHECK(roster->at("submission_1").people.front().name == "Jane");
  const auto broken = unpacker().read_roster("a: [1");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().reason.code == "WG-S16");
}

TEST_CASE("endings of archives are known in any case") {
  CHECK(archive_ending("a.ZIP") == ".ZIP");
  CHECK(archive_ending("a.b.tar.gz") == ".tar.gz");
  CHECK(archive_ending(".zip").empty());
  CHECK(archive_ending("a.cu").empty());
}

}  // namespace unpacking_test
