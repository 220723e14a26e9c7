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
/// column. For an output that was not returned, there is only the expected image.
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
/// Blue: NaN, for instance unwritten pixels.
Bitmap error_bitmap(const Expectation& expected, const std::vector<float>& actual);

}  // namespace grader
