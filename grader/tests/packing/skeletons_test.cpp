#include "packing/skeletons.hpp"

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "catch.hpp"

namespace skeletons_test {

using namespace grader;
namespace fs = std::filesystem;

namespace {

KitPaths kit_in(const fs::path& root) {
  KitPaths kit;
  kit.root = root;
  return kit;
}

Lab warm_up() {
  Lab lab;
  lab.id = "00-warm-up";
  return lab;
}

}  // namespace

TEST_CASE("a checkout knows the skeletons of its labs") {
  const fs::path root = WARPGRADE_SOURCE_DIR;
  const auto skeleton = read_file(root / "labs/00-warm-up/saxpy.cu", 1U << 20U);
  REQUIRE(skeleton);
  CHECK(is_skeleton(kit_in(root), warm_up(), *skeleton));
  CHECK_FALSE(is_skeleton(kit_in(root), warm_up(), *skeleton + "\n"));
}

TEST_CASE("the archive for students lists the skeletons in a file of its own") {
  const TemporaryFolder folder("archive");
  CHECK_FALSE(is_skeleton(kit_in(folder.path()), warm_up(), "later"));
  fs::create_directories(folder.path() / "grader");
  REQUIRE(write_file_atomically(folder.path() / kSkeletonDigests, sha256_hex("earlier") + "  saxpy.cu\n" +
                                                                      sha256_hex("later") + "  saxpy.cu\n"));
  CHECK(is_skeleton(kit_in(folder.path()), warm_up(), "earlier"));
  CHECK(is_skeleton(kit_in(folder.path()), warm_up(), "later"));
  CHECK_FALSE(is_skeleton(kit_in(folder.path()), warm_up(), "mine"));
}

}  // namespace skeletons_test
