#include "packing/pack_diagnostics.hpp"

namespace grader {

Diagnostic no_student_archive(const std::string& why, const std::string& next_step) {
  return diagnose("WG-G70", "the student archive cannot be made: " + why, next_step);
}

Diagnostic no_hand_in(const std::string& why, const std::string& next_step) {
  return diagnose("WG-G72", "the hand-in cannot be packed: " + why, next_step);
}

}  // namespace grader
