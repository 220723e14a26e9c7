// The shell script that every task of every array runs. The text is always the same. Everything that differs
// comes from the arguments, which Slurm passes on unchanged, and from the array's folder, so that no name
// ever becomes shell text. Covered by slurm/job_script_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace grader::slurm {

/// Exit status of a grader on a node that cannot grade (EX_TEMPFAIL in sysexits.h).
inline constexpr int kUnhealthyNode = 75;

/// Arguments: the array's folder; NAME=value for each environment variable of the grader; the grader's
/// command. The script adds `--jobs N --items LIST` and the variables that Slurm sets: CUDA_VISIBLE_DEVICES,
/// TMPDIR.
std::string job_script();

/// The second part of the arguments: this machine's variables that a grader needs to find the compiler and
/// the kit. Nothing else of the user's environment reaches the tasks.
std::vector<std::string> grader_environment();

}  // namespace grader::slurm
