// The shell script that every task of every array runs. It is the same for all of them: what differs comes as
// arguments, which Slurm hands on untouched, and from the array's folder. So no name ever becomes shell text.
// Covered by slurm/job_script_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace grader::slurm {

/// Exit status of a grader on a node that cannot grade (EX_TEMPFAIL of sysexits.h).
inline constexpr int kUnhealthyNode = 75;

/// Arguments: the array's folder; NAME=value for each variable that the grader is to have; the grader's
/// command. The script adds `--jobs N --items LIST` and what Slurm grants: CUDA_VISIBLE_DEVICES, TMPDIR.
std::string job_script();

/// The second part of the arguments: what tells a grader on another machine where compiler and kit are, as
/// it is here. Nothing else of the user's environment reaches the tasks.
std::vector<std::string> grader_environment();

}  // namespace grader::slurm
