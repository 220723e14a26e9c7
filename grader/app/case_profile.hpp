// What one case of a lab did on the virtual GPU, as a profile and as images: used by `check`, `profile` and
// `pictures`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "profile/run_profile.hpp"
#include "report/pictures.hpp"
#include "report/result.hpp"
#include "runner/case_run.hpp"

namespace grader::app {

/// The timed case on the virtual GPU, else the first one with an objective, else the first one.
std::string default_case(const Lab& lab);

/// The lab with one task: these cases and their objectives.
Lab only_cases(const Lab& whole, const std::vector<std::string>& names);

/// The profile of the case's run on vgpu::lecture_profile(). `result`: of a grading of only_cases().
/// `source`: the submission's file, whose lines are quoted. `others`: runs of the case on further devices.
RunProfile case_profile(const Lab& lab, const Case& one_case, const Result& result,
                        vgpu::cudart::SessionReport run, const std::filesystem::path& source,
                        const std::vector<DeviceRun>& others = {});

/// The images of the case and the maps of its errors.
std::vector<Picture> case_images(const Lab& lab, const Case& one_case, const CaseRun& run);

}  // namespace grader::app
