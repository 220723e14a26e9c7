// Merges the evidence of both devices about one submission (--device both). Pure.
//
// Memory, race and barrier checks and counters come from the virtual GPU, times from the real one, values
// from both. A case that ran on both devices is accepted if both accept it. Otherwise it has the graver of
// the two verdicts: a fault of the grader, then a rejection, then any other failure; of two equal ones, that
// of the virtual GPU, which names lines and threads.
//
// Different verdicts are never silent: a diagnostic next to the case's own names both.
//   WG-D01 warning  the devices disagree: the program's values depend on the device or on chance, or the kit
//                   has a defect
//   WG-D02 note     only one of the devices makes the check that failed, or runs the case
//
// Covered by score/both_devices_test.cpp.
#pragma once

#include "score/score.hpp"

namespace grader {

/// Requires: `on_virtual` and `on_cuda` are the evidence of one device each.
Evidence merge_devices(const Lab& lab, const Evidence& on_virtual, const Evidence& on_cuda);

}  // namespace grader
