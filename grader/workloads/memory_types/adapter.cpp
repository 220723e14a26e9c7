// blur, convolve_constant, convolve_tiled, count_bright and most_frequent of lab/memory_types.hpp.
#include <lab/memory_types.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

Answer call_blur(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto blur = arrays.function<decltype(::blur)>();
    blur(arrays.input(0), arrays.output(0), arrays.scalar("width"), arrays.scalar("height"),
         arrays.scalar("radius"));
  });
}

Answer call_convolve(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto convolve = arrays.function<decltype(::convolve_constant)>();
    convolve(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("width"),
             arrays.scalar("height"), arrays.scalar("radius"));
  });
}

/// The count must persist from image to image, so the function is called once per image.
Answer call_count(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto count = arrays.function<decltype(::count_bright)>();
    const float* thresholds = arrays.input(1);
    const int* restarts = arrays.input<int>(2);
    const int width = arrays.scalar("width"), height = arrays.scalar("height");
    for (int i = 0; i < arrays.scalar("images"); ++i) {
      const float* image =
          arrays.input(0) + arrays.scalar("before") + static_cast<std::ptrdiff_t>(i) * width * height;
      count(image, width, height, thresholds[i], restarts[i] != 0, arrays.output<int>(0) + i);
    }
  });
}

Answer call_levels(const Functions& functions, Job& job, Link& link) {
  return run_calls(functions, job, link, [&](const Arrays& arrays) {
    const auto most_frequent = arrays.function<decltype(::most_frequent)>();
    most_frequent(arrays.input<int>(0), arrays.output<int>(0), arrays.scalar("width"),
                  arrays.scalar("height"), arrays.scalar("radius"));
  });
}

}  // namespace

Answer call_memory_types(const Functions& functions, Job& job, Link& link) {
  if (job.entry == "blur") return call_blur(functions, job, link);
  if (job.entry == "count_bright") return call_count(functions, job, link);
  if (job.entry == "most_frequent") return call_levels(functions, job, link);
  return call_convolve(functions, job, link);
}

}  // namespace grader::harness
