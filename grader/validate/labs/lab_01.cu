// Lab 01, memory types: lab_driver.cuh documents this program.
#include "lab/memory_types.hpp"
#include "lab_driver.cuh"

using validate::Array;

namespace {

struct Shape {
  int width, height, radius;

  int pixels() const { return width * height; }
  std::vector<float> weights() const {
    return validate::values<float>(static_cast<std::size_t>((2 * radius + 1) * (2 * radius + 1)));
  }
};

void call_all() {
  for (const Shape& shape : {Shape{67, 45, 3}, Shape{130, 33, 8}}) {
    const auto [width, height, radius] = shape;
    const Array<float> in(shape.pixels()), out(shape.pixels());
    const Array<int> levels(shape.pixels()), most(shape.pixels());
    const std::vector<float> weights = shape.weights();
    int count = 0;
    blur(in, out, width, height, radius);
    convolve_constant(in, weights.data(), out, width, height, radius);
    convolve_tiled(in, weights.data(), out, width, height, radius);
    count_bright(in, width, height, 0.5F, true, &count);
    most_frequent(levels, most, width, height, radius);
  }
}

/// The radius is that of the lab's speed-up.
void time_all(validate::Table& table, const std::string& name) {
  for (const int n : {512, 1024, 2048}) {
    const Shape shape{n, n, 7};
    const Array<float> in(shape.pixels()), out(shape.pixels());
    const Array<int> levels(shape.pixels()), most(shape.pixels());
    const std::vector<float> weights = shape.weights();
    table.row("lab_01", name + "_blur", n, [&] { blur(in, out, n, n, shape.radius); });
    table.row("lab_01", name + "_constant", n,
              [&] { convolve_constant(in, weights.data(), out, n, n, shape.radius); });
    table.row("lab_01", name + "_tiled", n,
              [&] { convolve_tiled(in, weights.data(), out, n, n, shape.radius); });
    table.row("lab_01", name + "_most_frequent", n, [&] { most_frequent(levels, most, n, n, shape.radius); });
  }
}

}  // namespace

int main(int argc, char** argv) { return validate::run_lab(argc, argv, call_all, time_all); }
