#include "e2e/class_fixture.hpp"

namespace testing {

void ClassFixture::add(const std::string& id, const std::filesystem::path& source) const {
  write(submissions() / id / "02-tiled-matmul" / "tiled_matmul.cu", text_of(source));
}

Ended ClassFixture::grade(std::vector<std::string> arguments, const Setting& setting) const {
  std::vector<std::string> command = {"grade", submissions().string(), "--lab",    "02-tiled-matmul",
                                      "--out", out().string(),         "--device", "virtual"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return warpgrade(command, setting);
}

nlohmann::json without_provenance(const std::filesystem::path& result_file) {
  nlohmann::json result = nlohmann::json::parse(text_of(result_file));
  result.erase("provenance");
  return result;
}

}  // namespace testing
