// All inputs with which a fuzzer found a defect, and its seed inputs: none of them may cause a crash or a
// hang.
#include <filesystem>

#include "base/files.hpp"
#include "catch.hpp"
#include "fuzz/load_image.hpp"

TEST_CASE("images that caused failures no longer do") {
  const std::filesystem::path corpus =
      std::filesystem::path(WARPGRADE_SOURCE_DIR) / "grader/tests/fuzz/corpus";
  int images = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    INFO(entry.path().filename().string());
    const auto bytes = grader::read_file(entry.path(), std::size_t{1} << 20U);
    REQUIRE(bytes);
    if (bytes->size() < 16) continue;
    fuzz::load_image(std::as_bytes(std::span(*bytes)));
    ++images;
  }
  CHECK(images > 10);
}
