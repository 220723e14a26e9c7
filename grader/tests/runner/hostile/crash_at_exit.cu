// Crashes at process exit, after a good run.
#include <cstdlib>

#include "lab/tiled_matmul.hpp"

namespace {
struct Spoiler {
  ~Spoiler() { std::abort(); }
} spoiler;
}  // namespace

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  std::atexit([] { std::_Exit(3); });
}
