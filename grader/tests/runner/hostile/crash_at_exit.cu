// Would spoil a good run when the process is taken down.
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
