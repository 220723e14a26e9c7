// Pictures of one run of a case: its images, and its timeline if the lab measures the time of the call.
// Pure. Tested by tests/report/pictures_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lab/workload.hpp"
#include "report/png.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/model/profile.hpp"

namespace grader {

struct Picture {
  std::string name;   ///< "in.png", "out.png", "out-expected.png", "out-errors.png", "timeline.svg"
  std::string bytes;  ///< content of the file
};

/// Small images are enlarged by a whole factor, large images keep their size; a stack of images becomes one
/// column. For an output that was not returned, there is only the expected image. An output that is no image
/// has a map of its errors if an element is outside its tolerance.
std::vector<Picture> image_pictures(const Workload& workload, const harness::Job& job,
                                    const std::vector<Expectation>& expected,
                                    const std::vector<Array>& outputs);

/// Empty if the lab does not measure the time of the call, or nothing ran.
std::vector<Picture> timeline_pictures(const Workload& workload, const vgpu::cudart::SessionReport& session,
                                       const vgpu::Profile& profile);

// ---- parts, for tests

/// The grey levels of an image's values: 0 for `black` and below, 255 for `white` and above. NaN is black,
/// too.
Bitmap grey_bitmap(const Shape& shape, const std::vector<double>& values, double black, double white);

/// White: within the tolerance. From orange to dark red: off by 1 to 10⁶ times the tolerance, or by more.
/// Blue: NaN, for instance unwritten pixels. A 1-D array of at least 2 elements is drawn in rows of 256
/// elements; grey: after its end. In a map of more than 2²⁰ elements or 8192 elements a side, a pixel is the
/// worst of several elements.
Bitmap error_bitmap(const Expectation& expected, const std::vector<float>& actual);

}  // namespace grader
