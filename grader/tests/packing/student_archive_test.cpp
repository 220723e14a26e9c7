#include "packing/student_archive.hpp"

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"

namespace student_archive_test {

using namespace grader;
using namespace testing;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

std::string text_of(const fs::path& file) { return *read_file(file, kMaxBytes); }

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  REQUIRE(write_file_atomically(file, text));
}

/// The kit with its own copy of labs/, and programs of a few bytes.
class Kit {
 public:
  Kit() : folder_("kit") {
    const fs::path source = WARPGRADE_SOURCE_DIR;
    for (const char* name : {"grader", "handout", "solutions", "datasets"})
      fs::create_directory_symlink(source / name, root() / name);
    fs::copy(source / "labs", root() / "labs", fs::copy_options::recursive);
    for (const char* name :
         {"bin/warpgrade", "bin/harness-virtual", "bin/box-init", "lib/virtual/libcudart.so.13"})
      write(root() / "build" / name, "a program");
  }

  fs::path root() const { return folder_.path(); }
  fs::path lab() const { return root() / "labs" / "00-warm-up"; }
  Expected<PackedFiles, Diagnostic> pack() const {
    const KitPaths paths{root(), root() / "labs", root() / "labs/include",
                         root() / "grader/vgpu/cudart/include", root() / "build"};
    return student_archive(paths, {"course", ""});
  }
  /// Hides a case of 00-warm-up.
  void hide(const std::string& name) const {
    Json json = Json::parse(text_of(lab() / "lab.json"));
    json["cases"].at(name)["visibility"] = "hidden";
    write(lab() / "lab.json", json.dump(2));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the student archive has labs, datasets, pages and programs in one folder, and nothing else") {
  const Kit kit;
  write(kit.lab() / "solution.cu", "an instructor's copy");
  write(kit.lab() / "answers.json", "{}");
  const auto files = kit.pack();
  if (!files) FAIL(files.error().what);
  for (const char* name :
       {"README.md", "CMakePresets.json", "labs/00-warm-up/saxpy.cu", "labs/00-warm-up/hints.md",
        "labs/include/lab/check.hpp", "datasets/manifest.json", "datasets/00-warm-up/n-257/x.npy",
        "handout/student/diagnostics/WG-M02.md", "grader/bin/warpgrade",
        "grader/workloads/saxpy/naive.sealed", "grader/vgpu/cudart/include/cuda_runtime.h",
        "grader/vgpu/model/lecture.json", "grader/skeletons.sha256"})
    CHECK(files->contains(std::string("course/") + name));
  CHECK(files->at("course/warpgrade").kind == PackedFile::Kind::link);
  CHECK(files->at("course/grader/bin/warpgrade").kind == PackedFile::Kind::program);
  for (const auto& [path, file] : *files) {
    INFO(path);
    CHECK(path.starts_with("course/"));
    CHECK(path.find("solution") == std::string::npos);
    CHECK(path.find("answers.json") == std::string::npos);
    CHECK(path.find("instructor") == std::string::npos);
  }
  CHECK(files->at("course/grader/workloads/saxpy/naive.sealed").bytes.find("__global__") ==
        std::string::npos);
}

TEST_CASE("hidden cases are in no file of the student archive") {
  const Kit kit;
  kit.hide("block-513-of-512");
  const auto files = kit.pack();
  if (!files) FAIL(files.error().what);
  for (const auto& [path, file] : *files) {
    INFO(path);
    CHECK(path.find("513-of-512") == std::string::npos);
    CHECK(file.bytes.find("513-of-512") == std::string::npos);
  }
}

TEST_CASE("a page that names a hidden case, or a source that is no skeleton, stops the release") {
  const Kit named;
  named.hide("n-257");  // the lab's page shows a command with it
  REQUIRE_FALSE(named.pack());
  CHECK_THAT(named.pack().error().what, contains("labs/00-warm-up/README.md") && contains("n-257"));

  const Kit solved;
  write(solved.lab() / "saxpy.cu", text_of(solved.root() / "solutions/00-warm-up/saxpy.cu"));
  REQUIRE_FALSE(solved.pack());
  CHECK(solved.pack().error().code == "WG-G70");
  CHECK_THAT(solved.pack().error().what, contains("not the skeleton"));
}

TEST_CASE("a missing file of the kit stops the release with its name") {
  const Kit kit;
  fs::remove(kit.root() / "build/bin/harness-virtual");
  REQUIRE_FALSE(kit.pack());
  CHECK_THAT(kit.pack().error().what, contains("harness-virtual"));
}

}  // namespace student_archive_test
