// blur, convolve_constant, convolve_tiled, count_bright and most_frequent of lab/memory_types.hpp.
#include <lab/memory_types.hpp>

#include "harness/adapters.hpp"
#include "harness/calls.hpp"

namespace grader::harness {
namespace {

Answer call_blur(void* entry, Job& job, Link& link) {
  const auto blur = as_function<decltype(::blur)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    blur(arrays.input(0), arrays.output(0), arrays.scalar("width"), arrays.scalar("height"),
         arrays.scalar("radius"));
  });
}

Answer call_convolve(void* entry, Job& job, Link& link) {
  const auto convolve = as_function<decltype(::convolve_constant)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    convolve(arrays.input(0), arrays.input(1), arrays.output(0), arrays.scalar("width"),
             arrays.scalar("height"), arrays.scalar("radius"));
  });
}

/// The count must persist from image to image, so the function is called once per image.
Answer call_count(void* entry, Job& job, Link& link) {
  const auto count = as_function<decltype(::count_bright)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    const float* thresholds = arrays.input(1);
    const int* restarts = arrays.input<int>(2);
    const int width = arrays.scalar("width"), height = arrays.scalar("height");
    for (int i = 0; i < arrays.scalar("images"); ++i) {
      const float* image = arrays.input(0) + static_cast<std::ptrdiff_t>(i) * width * height;
      count(image, width, height, thresholds[i], restarts[i] != 0, arrays.output<int>(0) + i);
    }
  });
}

Answer call_levels(void* entry, Job& job, Link& link) {
  const auto most_frequent = as_function<decltype(::most_frequent)>(entry);
  return run_calls(job, link, [&](const Arrays& arrays) {
    most_frequent(arrays.input<int>(0), arrays.output<int>(0), arrays.scalar("width"),
                  arrays.scalar("height"), arrays.scalar("radius"));
  });
}

}  // namespace

Answer call_memory_types(void* entry, Job& job, Link& link) {
  if (job.entry == "blur") return call_blur(entry, job, link);
  if (job.entry == "count_bright") return call_count(entry, job, link);
  if (job.entry == "most_frequent") return call_levels(entry, job, link);
  return call_convolve(entry, job, link);
}

}  // namespace grader::harness
