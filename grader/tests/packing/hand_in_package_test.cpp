#include "packing/hand_in_package.hpp"

#include <filesystem>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "catch.hpp"
#include "packages/package.hpp"
#include "questions/answers.hpp"

namespace hand_in_package_test {

using namespace grader;
namespace fs = std::filesystem;

namespace {

Lab lab() {
  Lab made;
  made.id = "02-tiled-matmul";
  made.sources = {"tiled_matmul.cu"};
  return made;
}

/// A folder with a student's source.
class Work {
 public:
  Work() : folder_("work") { REQUIRE(write_file_atomically(source(), "// my kernel\n")); }
  fs::path source() const { return folder_.path() / "my_copy.cu"; }
  fs::path answers() const { return folder_.path() / kAnswersFile; }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a hand-in contains the source under the lab's name for it, and the receipt") {
  const Work work;
  const auto files = read_hand_in(work.source());
  REQUIRE(files);
  const PackedFiles packed = hand_in_package(lab(), *files, receipt_of(lab(), *files));
  REQUIRE(packed.size() == 2);
  CHECK(packed.at("02-tiled-matmul/tiled_matmul.cu").bytes == "// my kernel\n");
  CHECK(packed.at("02-tiled-matmul/receipt.json").bytes.find(sha256_hex("// my kernel\n")) !=
        std::string::npos);
}

TEST_CASE("answers are packed if they are a regular file of limited size") {
  const Work work;
  REQUIRE(write_file_atomically(work.answers(), "{}"));
  const auto files = read_hand_in(work.source());
  REQUIRE(files);
  CHECK(files->answers == "{}");
  CHECK(receipt_of(lab(), *files).sources.size() == 2);
  CHECK(hand_in_package(lab(), *files, receipt_of(lab(), *files)).contains("02-tiled-matmul/answers.json"));

  REQUIRE(write_file_atomically(work.answers(), std::string(std::size_t{1} << 20U, ' ')));
  CHECK(read_hand_in(work.source()).error().code == "WG-G72");
  fs::remove(work.answers());
  fs::create_symlink("/etc/hostname", work.answers());
  CHECK(read_hand_in(work.source()).error().code == "WG-G72");
}

TEST_CASE("a source that is missing, a folder or too large is not packed") {
  const Work work;
  CHECK(read_hand_in("no/such.cu").error().code == "WG-G72");
  CHECK(read_hand_in(work.source().parent_path()).error().code == "WG-G72");
  REQUIRE(write_file_atomically(work.source(), std::string(kMaxSourceBytes + 1, ' ')));
  CHECK(read_hand_in(work.source()).error().code == "WG-G72");
}

}  // namespace hand_in_package_test
