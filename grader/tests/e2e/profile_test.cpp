// `warpgrade profile` from end to end, on the virtual GPU.
#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"

namespace profile_test {

using namespace testing;

TEST_CASE("the profile of the solution: kernel, limits, lines, pictures, two rooflines, arithmetic") {
  const grader::TemporaryFolder folder("profile");
  const std::string page = folder.path() / "page.html", pictures = folder.path() / "pictures";
  const Ended ended = warpgrade({"profile", "02-tiled-matmul", "--source", solution().string(), "--page",
                                 page, "--pictures", pictures});
  INFO(ended.err);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("Profile of 02-tiled-matmul, case square-256") && contains("tiled_kernel") &&
                            contains("occupancy ") && contains("sectors per global load") &&
                            contains("global load requested B/flop"));
  CHECK_THAT(ended.out, contains("Roofline on lecture") && contains("Roofline on h200") &&
                            contains("Arithmetic: exact: no approximate function"));
  const std::string html = text_of(page);
  CHECK_THAT(html, contains("default-src 'none'") && contains("<svg") && !contains("<script"));
  CHECK(std::filesystem::exists(pictures + "/tiled_kernel-divergence.svg"));
  CHECK(std::filesystem::exists(pictures + "/roofline-h200.svg"));
  CHECK(warpgrade({"profile", "02", "--source", solution().string()}).out == ended.out);
}

TEST_CASE("a line chooses the access, and a line without one is refused with those that have one") {
  const std::vector<std::string> profile = {"profile", "02", "--source", solution().string()};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.begin(), profile.begin(), profile.end());
    return warpgrade(options);
  };
  const Ended refused = with({"--line", "1"});
  CHECK(refused.code == 2);
  const std::string marker = "lines with accesses: tiled_matmul.cu:";
  const std::size_t at = refused.err.find(marker);
  REQUIRE(at != std::string::npos);
  const std::string line = refused.err.substr(
      at + marker.size(), refused.err.find_first_of(",\n ", at + marker.size()) - at - marker.size());
  const Ended chosen = with({"--line", "tiled_matmul.cu:" + line, "--ptx"});
  CHECK(chosen.code == 0);
  CHECK_THAT(chosen.out, contains("in tiled_matmul.cu:" + line) && contains("ld.global"));
  CHECK_THAT(with({"--line", "x"}).err, contains("`x` is not a line"));
  CHECK_THAT(with({"--case", "square-25"}).err, contains("did you mean `square-256`"));
}

TEST_CASE("a page that cannot be written is reported before anything runs") {
  const grader::TemporaryFolder folder("profile");
  const std::string page = (folder.path() / "none" / "x.html").string();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"profile", "02", "--page", page},
                                                  {"run", "--page", page, "/bin/echo", "ran"}}) {
    const Ended refused = warpgrade(command);
    CHECK(refused.code == 3);
    CHECK(refused.out.empty());
    CHECK_THAT(refused.err,
               contains("error: cannot write " + page) && contains("try: ") && contains("--page"));
  }
}

TEST_CASE("a program in the current folder, or a source, is run with the command that the message proposes") {
  const grader::TemporaryFolder folder("run");
  const Setting here{.folder = folder.path()};
  CHECK_THAT(warpgrade({"run", "my"}, here).err, contains("cannot start my") && !contains("try"));
  write(folder.path() / "my", "");
  CHECK_THAT(warpgrade({"run", "my"}, here).err, contains("try: warpgrade run ./my\n"));
  write(folder.path() / "my.cu", "");
  const Ended source = warpgrade({"run", "my.cu"}, here);
  CHECK(source.code == 2);
  CHECK_THAT(source.err, contains("try: warpgrade nvcc -o my my.cu && warpgrade run ./my"));
}

TEST_CASE("a file that does not compile has no profile, and a wrong one has a note") {
  const Ended broken = warpgrade({"profile", "02", "--source", bad_input("does_not_compile").string()});
  CHECK(broken.code == 1);
  CHECK_THAT(broken.out, contains("error[WG-C01]"));
  const auto wrong = source_folder() / "solutions/02-tiled-matmul/wrong/missing_second_barrier.cu";
  const Ended ended = warpgrade({"profile", "02", "--source", wrong.string(), "--case", "square-64"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.out, contains("note: this run is wrong: WG-R") && contains("wavefronts per shared load"));
}

}  // namespace profile_test
