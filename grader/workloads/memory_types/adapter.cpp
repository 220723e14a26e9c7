// blur, convolve_constant, convolve_tiled, count_bright and most_frequent of lab/memory_types.hpp.
#include <lab/memory_types.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

Answer call_blur(void* entry, Job& job, Link& link, int width, int height) {
  const auto blur = as_function<decltype(::blur)>(entry);
  const int radius = scalar(job, "radius");
  return run_calls(job, link, [&](const Arrays& arrays) {
    blur(arrays.input(0), arrays.output(0), width, height, radius);
  });
}

Answer call_convolve(void* entry, Job& job, Link& link, int width, int height) {
  const auto convolve = as_function<decltype(::convolve_constant)>(entry);
  const int radius = scalar(job, "radius");
  return run_calls(job, link, [&](const Arrays& arrays) {
    convolve(arrays.input(0), arrays.input(1), arrays.output(0), width, height, radius);
  });
}

/// The count must persist from image to image, so the function is called once per image.
Answer call_count(void* entry, Job& job, Link& link, int width, int height) {
  const auto count = as_function<decltype(::count_bright)>(entry);
  const int images = scalar(job, "images");
  return run_calls(job, link, [&](const Arrays& arrays) {
    const float* thresholds = arrays.input(1);
    const int* restarts = arrays.input<int>(2);
    for (int i = 0; i < images; ++i) {
      const float* image = arrays.input(0) + static_cast<std::ptrdiff_t>(i) * width * height;
      count(image, width, height, thresholds[i], restarts[i] != 0, arrays.output<int>(0) + i);
    }
  });
}

Answer call_levels(void* entry, Job& job, Link& link, int width, int height) {
  const auto most_frequent = as_function<decltype(::most_frequent)>(entry);
  const int radius = scalar(job, "radius");
  return run_calls(job, link, [&](const Arrays& arrays) {
    most_frequent(arrays.input<int>(0), arrays.output<int>(0), width, height, radius);
  });
}

}  // namespace

Answer call_memory_types(void* entry, Job& job, Link& link) {
  const int width = scalar(job, "width"), height = scalar(job, "height");
  if (job.entry == "blur") return call_blur(entry, job, link, width, height);
  if (job.entry == "count_bright") return call_count(entry, job, link, width, height);
  if (job.entry == "most_frequent") return call_levels(entry, job, link, width, height);
  return call_convolve(entry, job, link, width, height);
}

}  // namespace grader::harness
