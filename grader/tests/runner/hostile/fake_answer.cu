// Sends an answer in place of the harness, twice.
#include <cstdint>
#include <cstring>

#include <unistd.h>

#include "lab/tiled_matmul.hpp"

namespace {

void send_frame(const char* header, const float* values, std::uint32_t count) {
  const std::uint32_t sizes[] = {static_cast<std::uint32_t>(std::strlen(header)), count};
  if (write(3, sizes, sizeof sizes) < 0 || write(3, header, sizes[0]) < 0 || write(3, values, count * 4) < 0)
    _exit(1);
}

}  // namespace

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  const float values[4] = {4, 5, 10, 11};
  for (int i = 0; i < 2; ++i)
    send_frame(
        "{\"kind\":\"answer\",\"problem\":\"\",\"seconds\":[0],\"outputs\":[{\"name\":\"P\",\"shape\":[2,2]}]"
        "}",
        values, 4);
}
