// Programs in processes of their own use runtime features other than cudaMalloc and cudaMemcpy.

#include "base/files.hpp"
#include "catch.hpp"
#include "standalone/program_fixture.hpp"
#include "toolchain/front_end.hpp"

namespace {

/// The output of each mode of kernels/standalone/features.cu.
constexpr struct {
  const char* mode;
  const char* printed;
} kFeatures[] = {{"managed", "1 1000\n"},   {"mapped", "1 1\n"},
                 {"registered", "6 6\n"},   {"pitched", "4 23 1\n"},
                 {"streams", "copied 1\n"}, {"graph", "12\n"},
                 {"launch-ex", "1\n"},      {"occupancy", "768 threads, full: 1\n"}};

}  // namespace

TEST_CASE("memory, streams, graphs and launches of all kinds work from another process") {
  const testing::CudaProgram program("features.cu");
  for (const auto& feature : kFeatures) {
    INFO(feature.mode);
    const auto ended = program.run({feature.mode});
    CHECK(ended.code == 0);
    CHECK(ended.out == feature.printed);
    CHECK(ended.err == "");
  }
}

namespace {

bool has_nvcc() {
  const bool found = grader::find_front_end(grader::FrontEndKind::nvcc).has_value();
  if (!found) WARN("needs nvcc");
  return found;
}

/// A program that `warpgrade nvcc` built from a source.
std::string built(const grader::TemporaryFolder& folder, std::vector<std::string> arguments) {
  const std::string program = folder.path() / "program";
  arguments.insert(arguments.begin(), {"nvcc", "-o", program});
  const auto ended = testing::warpgrade(arguments);
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  return program;
}

}  // namespace

TEST_CASE("a program with a default stream for each thread works") {
  if (!has_nvcc()) return;
  const grader::TemporaryFolder folder("per-thread");
  const auto source = testing::source_folder() / "grader/tests/kernels/standalone/features.cu";
  const std::string program = built(folder, {"--default-stream", "per-thread", source});
  for (const auto& feature : kFeatures) {
    INFO(feature.mode);
    CHECK(testing::run({program, feature.mode}).out == feature.printed);
  }
}

TEST_CASE("host code and kernels use the same __managed__ variables") {
  if (!has_nvcc()) return;
  const grader::TemporaryFolder folder("managed");
  const std::string source = folder.path() / "managed.cu";
  testing::write(source,
                 "#include <cstdio>\n"
                 "__managed__ int counts[3] = {1, 2, 3};\n"
                 "__global__ void add(int* other) {\n"
                 "  counts[threadIdx.x] += 10;\n  if (threadIdx.x == 0) *other += 100;\n}\n"
                 "int main() {\n  counts[1] = 7;\n  add<<<1, 2>>>(&counts[2]);\n  cudaDeviceSynchronize();\n"
                 "  std::printf(\"%d %d %d \", counts[0], counts[1], counts[2] > 100);\n"
                 "  counts[0] = 0;\n  add<<<1, 2>>>(&counts[2]);\n  cudaDeviceSynchronize();\n"
                 "  std::printf(\"%d %d\\n\", counts[0], counts[1]);\n}\n");
  CHECK(testing::run({built(folder, {source})}).out == "11 17 1 10 27\n");
}
