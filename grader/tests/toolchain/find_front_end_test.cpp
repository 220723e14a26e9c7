// Finding compilers, with simulated ones: scripts that answer --version.

#include <cstdlib>
#include <fstream>
#include <map>

#include "base/files.hpp"
#include "catch.hpp"
#include "toolchain/front_end.hpp"

using namespace grader;
using std::filesystem::path;

namespace {

/// Replaces the variables that the search reads, and restores them.
class SearchEnvironment {
 public:
  explicit SearchEnvironment(const std::map<std::string, std::string>& variables) {
    for (const char* name : {"PATH", "CUDA_HOME", "WARPGRADE_NVCC", "WARPGRADE_CLANG"}) {
      const char* value = std::getenv(name);
      if (value) saved_[name] = value;
      ::unsetenv(name);
    }
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~SearchEnvironment() {
    for (const char* name : {"PATH", "CUDA_HOME", "WARPGRADE_NVCC", "WARPGRADE_CLANG"}) ::unsetenv(name);
    for (const auto& [name, value] : saved_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  SearchEnvironment(const SearchEnvironment&) = delete;
  SearchEnvironment& operator=(const SearchEnvironment&) = delete;

 private:
  std::map<std::string, std::string> saved_;
};

path make_program(const path& file, const std::string& output) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "#!/bin/sh\necho '" << output << "'\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

path make_clang(const path& file, const std::string& version) {
  return make_program(file, "Debian clang version " + version + "\nTarget: x86_64-pc-linux-gnu");
}

path make_nvcc(const path& file) {
  return make_program(
      file, "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.4, V12.4.131");
}

}  // namespace

TEST_CASE("nvcc on PATH is preferred to any clang") {
  const TemporaryFolder folder("find-front-end");
  make_nvcc(folder.path() / "toolkit/bin/nvcc");
  make_program(folder.path() / "bin/g++", "g++ 12");
  make_clang(folder.path() / "bin/clang++-19", "19.1.0");
  const SearchEnvironment environment(
      {{"PATH", (folder.path() / "toolkit/bin").string() + ":" + (folder.path() / "bin").string()}});
  const auto found = find_front_end(std::nullopt);
  REQUIRE(found);
  CHECK(found->kind == FrontEndKind::nvcc);
  CHECK(found->version == "nvcc 12.4.131");
  CHECK(found->major_version == 12);
  CHECK(found->toolkit_root.filename() == "toolkit");
  CHECK(found->host_linker.filename() == "g++");
  CHECK(found->reason == "nvcc found on PATH");
}

TEST_CASE("the toolkit of an nvcc that is a script elsewhere is the one that nvcc names") {
  const TemporaryFolder folder("find-front-end");
  const path root = std::filesystem::canonical(folder.path()) / "toolkit";
  std::filesystem::create_directories(root / "bin");
  make_program(folder.path() / "bin/nvcc",
               "Cuda compilation tools, release 13.0, V13.0.88\n#$ _HERE_=" + (root / "bin").string() +
                   "\n#$ TOP=" + (root / "bin/..").string() + "\n#$ CICC_PATH=/nowhere");
  make_program(folder.path() / "bin/g++", "g++ 12");
  const SearchEnvironment environment({{"PATH", (folder.path() / "bin").string()}});
  const auto found = find_front_end(FrontEndKind::nvcc);
  REQUIRE(found);
  CHECK(found->toolkit_root == root);
}

TEST_CASE("nvcc without g++ is an error that names the package to install") {
  const TemporaryFolder folder("find-front-end");
  make_nvcc(folder.path() / "nvcc");
  const SearchEnvironment environment({{"PATH", folder.path().string()}});
  const auto found = find_front_end(std::nullopt);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == "WG-G30");
  CHECK_THAT(found.error().next_step, testing::contains("install g++"));
}

TEST_CASE("a missing compiler is reported with what needs it and what to install") {
  const TemporaryFolder folder("find-front-end");
  const SearchEnvironment environment({{"PATH", folder.path().string()}});
  const auto clang = find_front_end(FrontEndKind::clang);
  REQUIRE_FALSE(clang);
  CHECK(clang.error().code == "WG-G30");
  CHECK(clang.error().what == "clang was requested, but no clang 14 or later is on PATH");
  CHECK_THAT(clang.error().next_step, testing::contains("apt install clang"));
  if (std::filesystem::exists("/usr/local/cuda/bin/nvcc")) return;  // the search ends there in any case
  const auto nvcc = find_front_end(FrontEndKind::nvcc), any = find_front_end(std::nullopt);
  REQUIRE_FALSE(nvcc);
  CHECK_THAT(nvcc.error().what, testing::contains("need a CUDA Toolkit; the labs do not"));
  CHECK_THAT(nvcc.error().next_step, testing::contains("WARPGRADE_NVCC"));
  REQUIRE_FALSE(any);
  CHECK_THAT(any.error().what, testing::contains("neither nvcc nor clang 14 or later"));
}

TEST_CASE("the newest clang on PATH is chosen when clang is requested") {
  const TemporaryFolder folder("find-front-end");
  make_nvcc(folder.path() / "nvcc");
  make_clang(folder.path() / "clang++-14", "14.0.6");
  make_clang(folder.path() / "clang++-19", "19.1.0");
  make_clang(folder.path() / "clang++", "16.0.6");
  const SearchEnvironment environment({{"PATH", folder.path().string()}});
  const auto found = find_front_end(FrontEndKind::clang);
  REQUIRE(found);
  CHECK(found->version == "clang 19.1.0");
  CHECK(found->major_version == 19);
  CHECK(found->reason == "clang was requested; clang 19 is the newest clang on PATH");
}

TEST_CASE("an unnumbered clang++ is chosen if it is the newest") {
  const TemporaryFolder folder("find-front-end");
  make_clang(folder.path() / "clang++-14", "14.0.6");
  make_clang(folder.path() / "clang++", "18.1.3");
  const SearchEnvironment environment({{"PATH", folder.path().string()}});
  const auto found = find_front_end(FrontEndKind::clang);
  REQUIRE(found);
  CHECK(found->major_version == 18);
}

TEST_CASE("a clang that is too old is not chosen") {
  const TemporaryFolder folder("find-front-end");
  make_clang(folder.path() / "clang++", "13.0.1");
  const SearchEnvironment environment({{"PATH", folder.path().string()}});
  const auto found = find_front_end(FrontEndKind::clang);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == "WG-G30");
  CHECK_THAT(found.error().next_step, testing::contains("clang 14 or later"));
}

TEST_CASE("a variable that names no compiler is an error and nothing else is tried") {
  const TemporaryFolder folder("find-front-end");
  make_clang(folder.path() / "clang++", "18.1.3");
  const SearchEnvironment environment(
      {{"PATH", folder.path().string()}, {"WARPGRADE_CLANG", "/no/such/clang"}});
  const auto found = find_front_end(FrontEndKind::clang);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == "WG-G31");
  CHECK_THAT(found.error().what, testing::contains("/no/such/clang"));
}

TEST_CASE("a compiler that a variable names is chosen") {
  const TemporaryFolder folder("find-front-end");
  const path program = make_nvcc(folder.path() / "elsewhere/bin/my-nvcc");
  make_program(folder.path() / "bin/g++", "g++ 12");
  const SearchEnvironment environment(
      {{"PATH", (folder.path() / "bin").string()}, {"WARPGRADE_NVCC", program.string()}});
  const auto found = find_front_end(std::nullopt);
  REQUIRE(found);
  CHECK(found->reason == "WARPGRADE_NVCC names this nvcc");
}

TEST_CASE("programs that only resemble compilers are skipped") {
  const TemporaryFolder folder("find-front-end");
  make_program(folder.path() / "clang++-19", "I am not what I seem");
  std::ofstream(folder.path() / "clang++-18") << "not executable";
  std::filesystem::create_directories(folder.path() / "clang++-17");
  make_clang(folder.path() / "clang++-16", "16.0.6");
  const SearchEnvironment environment({{"PATH", "relative:" + folder.path().string() + ":"}});
  const auto found = find_front_end(FrontEndKind::clang);
  REQUIRE(found);
  CHECK(found->major_version == 16);
}
