// What there is to see of one run of a case: its images, and its timeline where the lab is about time.
// Pure. Covered by tests/report/pictures_test.cpp.
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
  std::string bytes;  ///< of the file
};

/// Small images are enlarged by a whole factor, large ones drawn as they are; a stack of images becomes one
/// column. Of outputs that did not come back there is the expected one only.
std::vector<Picture> image_pictures(const Workload& workload, const harness::Job& job,
                                    const std::vector<Expectation>& expected,
                                    const std::vector<Array>& outputs);

/// Empty when the lab is not about the call's time, or nothing ran.
std::vector<Picture> timeline_pictures(const Workload& workload, const vgpu::cudart::SessionReport& session,
                                       const vgpu::Profile& profile);

// ---- parts, for tests

/// What an image's values are drawn as: `black` and below is 0, `white` and above 255. NaN is black, too.
Bitmap grey_bitmap(const Shape& shape, const std::vector<double>& values, double black, double white);

/// White: within the tolerance. From orange to dark red: off by 1 to 10⁶ times the tolerance, or by more.
/// Blue: NaN, such as pixels that nobody wrote.
Bitmap error_bitmap(const Expectation& expected, const std::vector<float>& actual);

}  // namespace grader
