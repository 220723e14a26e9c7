#include "release/archived_kit.hpp"

#include "catch.hpp"

namespace testing {

Ended release(const std::filesystem::path& archive) {
  return warpgrade({"release", "--for-this-machine", "--out", archive.string()});
}

ArchivedKit::ArchivedKit(const std::string& ending)
    : place_("release"), archive_(place_.path() / ("course" + ending)) {
  const Ended made = release(archive());
  INFO(made.err);
  REQUIRE(made.code == 0);
  REQUIRE(run({"/usr/bin/tar", "xf", archive().string()}, {.folder = place_.path()}).code == 0);
}

Ended ArchivedKit::warpgrade(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), (folder() / "warpgrade").string());
  return run(arguments, {.folder = folder(),
                         .environment = {{"WARPGRADE_HOME", ""},
                                         {"XDG_CACHE_HOME", (place_.path() / "cache").string()}}});
}

}  // namespace testing
