// Which GPU a box gets, with folders like the driver's.
#include "runner/cuda_device.hpp"

#include <fstream>

#include "base/files.hpp"
#include "catch.hpp"

using namespace grader;
namespace fs = std::filesystem;

namespace {

/// Two GPUs, the second with the lower minor number, and a third without a node.
class Driver {
 public:
  Driver() : folder_("driver") {
    add("0000:18:00.0", "GPU UUID: \t GPU-aaaa\nDevice Minor: \t 1\n");
    add("0000:2a:00.0", "GPU UUID: GPU-bbbb\nDevice Minor: 0\n");
    add("0000:3a:00.0", "GPU UUID: GPU-cccc\nDevice Minor: 7\n");
    add("0000:4a:00.0", "Device Minor: none\n");
    fs::create_directories(dev());
    for (const char* name : {"nvidia0", "nvidia1"}) std::ofstream(dev() / name) << "";
  }
  fs::path proc() const { return folder_.path() / "gpus"; }
  fs::path dev() const { return folder_.path() / "dev"; }

 private:
  void add(const std::string& bus, const std::string& text) {
    fs::create_directories(proc() / bus);
    std::ofstream(proc() / bus / "information") << "Model: \t NVIDIA H200\n" << text;
  }
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("GPUs are counted by PCI address, those without a node left out") {
  const Driver driver;
  const auto nodes = gpu_nodes(driver.proc(), driver.dev());
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].minor == 1);
  CHECK(nodes[0].uuid == "GPU-aaaa");
  CHECK(nodes[1].minor == 0);
  CHECK(gpu_nodes(driver.proc() / "nowhere", driver.dev()).empty());
}

TEST_CASE("a GPU is chosen by index or by UUID, the first otherwise") {
  const std::vector<GpuNode> nodes{{1, "GPU-aaaa"}, {0, "GPU-bbbb"}};
  CHECK(chosen_gpu(nodes, "")->minor == 1);
  CHECK(chosen_gpu(nodes, "1")->minor == 0);
  CHECK(chosen_gpu(nodes, "GPU-bb,0")->minor == 0);
  CHECK_FALSE(chosen_gpu(nodes, "2"));
  CHECK_FALSE(chosen_gpu(nodes, "MIG-GPU-aaaa"));
  CHECK_FALSE(chosen_gpu({}, ""));
}

TEST_CASE("a list of GPUs becomes names that are valid inside boxes, each once") {
  const std::vector<GpuNode> nodes{{1, "GPU-aaaa"}, {0, "GPU-bbbb"}};
  using Names = std::vector<std::string>;
  CHECK(gpu_names(nodes, "") == Names{"GPU-aaaa", "GPU-bbbb"});
  CHECK(gpu_names(nodes, "1,GPU-aa") == Names{"GPU-bbbb", "GPU-aaaa"});
  CHECK(gpu_names(nodes, "0,GPU-aaaa") == Names{"GPU-aaaa"});
  CHECK(gpu_names(nodes, "MIG-7") == Names{"MIG-7"});
  CHECK(gpu_names({}, "") == Names{""});
}

TEST_CASE("without a device node of the driver there is no GPU to ask") {
  const TemporaryFolder dev("dev");
  CHECK_FALSE(has_driver(dev.path()));
  std::ofstream(dev.path() / "nvidia-modeset") << "";
  CHECK_FALSE(has_driver(dev.path()));
  std::ofstream(dev.path() / "nvidiactl") << "";
  CHECK(has_driver(dev.path()));
}
