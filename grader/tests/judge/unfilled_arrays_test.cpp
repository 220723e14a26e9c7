// The part of a shared array that a block reads without having filled it.
#include "judge/unfilled_arrays.hpp"

#include "catch.hpp"

namespace unfilled_arrays_test {

using namespace grader;
using testing::contains;

namespace {

struct Unfilled {
  std::string declaration;
  std::size_t element = 0;  ///< that is read
  std::size_t words = 0;
  bool (*is_written)(std::size_t word) = nullptr;
  vgpu::Dim3 block{32, 8, 1};
};

std::optional<Advice> part(const Unfilled& made) {
  const SourceText source{"k.cu", {"__global__ void k(float* p) {", made.declaration, "}"}};
  vgpu::LaunchRecord launch;
  launch.block = made.block;
  vgpu::Fault read;
  read.kind = vgpu::FaultKind::uninitialised_read;
  read.space = vgpu::ptx::Space::shared;
  read.variable = "_ZZ1kPfE4tile";
  read.variable_offset = 4 * made.element;
  for (std::size_t i = 0; i < made.words; ++i) read.written_words.push_back(made.is_written(i));
  return unfilled_part(read, launch, source);
}

std::string cause(const Unfilled& made) {
  const auto found = part(made);
  return found ? found->likely_cause : "";
}

}  // namespace

TEST_CASE("rows of a tile for which the block has no threads") {
  Unfilled tile{"  __shared__ float tile[32][33];", 8 * 33, 32 * 33,
                [](std::size_t word) { return word / 33 < 8 && word % 33 < 32; }};
  CHECK_THAT(cause(tile), contains("in `tile`, rows 8 to 31 have no value yet") &&
                              contains("blocks have 32 × 8 threads") && contains("no thread for these"));
  tile.block = {32, 16, 1};
  CHECK_THAT(cause(tile), contains("the loop that fills the array ends before them"));
  tile.is_written = [](std::size_t word) { return word / 33 % 16 < 8 && word % 33 < 32; };
  CHECK_THAT(cause(tile), contains("rows 8 to 15 of every 16") && contains("the step of the loop"));
}

TEST_CASE("rows at both ends of a tile") {
  const Unfilled tile{"  __shared__ float tile[48][32];", 5, 48 * 32,
                      [](std::size_t word) { return word / 32 >= 6 && word / 32 < 42; }};
  CHECK_THAT(cause(tile), contains("in `tile`, the first 6 rows and the last 6 have no value yet") &&
                              contains("different offsets"));
}

TEST_CASE("columns of a tile, and single elements") {
  Unfilled tile{"  __shared__ float tile[16][32];",
                16,
                16 * 32,
                [](std::size_t word) { return word % 32 < 16; },
                {16, 16, 1}};
  CHECK_THAT(cause(tile), contains("in `tile`, columns 16 to 31") && contains("blocks have 16 × 16 threads"));
  tile.is_written = [](std::size_t word) { return word != 16; };
  CHECK_THAT(cause(tile), contains("511 of the 512 elements of `tile` have a value"));
  tile.is_written = [](std::size_t word) { return word != 16 && word % 32 != 5; };
  tile.element = 5;
  CHECK_THAT(cause(tile), contains("column 5 has no value yet"));
}

TEST_CASE("a vector whose loop takes too large steps, or ends too early") {
  Unfilled tile{"  __shared__ float tile[2048];",
                256,
                2048,
                [](std::size_t word) { return word % 1024 < 256; },
                {256, 1, 1}};
  CHECK_THAT(cause(tile), contains("elements 256 to 1023 of every 1024") && contains("the step of the loop"));
  tile.is_written = [](std::size_t word) { return word < 1900; };
  tile.element = 1900;
  CHECK_THAT(cause(tile), contains("elements 1900 to 2047") && contains("another length"));
  tile.is_written = [](std::size_t word) { return word < 300 || word % 7 > 2; };
  tile.element = 301;
  CHECK_THAT(cause(tile), contains("elements 301 to 303 have no value yet"));
  tile.is_written = [](std::size_t word) { return word < 256; };
  tile.element = 256;
  CHECK_THAT(cause(tile), contains("blocks have 256 × 1 threads"));
}

TEST_CASE("nothing is said where nothing is written, or nothing is known") {
  Unfilled tile{"  __shared__ float tile[64];", 3, 64, [](std::size_t) { return false; }};
  CHECK_FALSE(part(tile));
  tile.words = 0;
  CHECK_FALSE(part(tile));
}

}  // namespace unfilled_arrays_test
