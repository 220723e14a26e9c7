// Puts the grades of a course in the place of the results' points, for exports. Pure. Covered by
// course_grades/renderings_test.cpp.
#pragma once

#include "course/grades.hpp"

namespace grader::course {

/// Leaves out the labs that are not in the course. Adds a lab that a student did not hand in, with 0 points,
/// and students without a submission.
ClassResults with_course_grades(ClassResults results, const CourseGrades& grades);

}  // namespace grader::course
