// What lateness costs, by the rules of one lab. Pure. Covered by course_grades/lateness_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/hand_in.hpp"
#include "base/receipt.hpp"
#include "course/course.hpp"
#include "course/grades.hpp"

namespace grader::course {

struct Judged {
  std::optional<Instant> due;
  std::optional<HandedIn> handed_in;
  double share_lost = 0;           ///< of the points of the hand-in, from 0 to 1
  std::string deduction;           ///< the reason of share_lost; empty: nothing is deducted
  std::vector<std::string> notes;  ///< other lines for the student
  std::string doubt;               ///< why nothing can be deducted, for the instructor; empty: no doubt
};

class Lateness {
 public:
  Lateness(const TimeZone& zone, const CourseLab& lab) : zone_(zone), lab_(lab), due_(lab.due) {}

  /// Of several extensions, the latest due time counts. No effect on a lab without a due time.
  void extend(const Extension& one);

  /// `given`: the time that the instructor gave; nullptr: none. Otherwise the LMS's time counts, and only if
  /// the LMS states nothing, that of a receipt for the files that were handed in: the student can forge it.
  Judged judge(const GivenTime* given, const HandIn& hand_in,
               const std::optional<ReceiptFacts>& receipt) const;

 private:
  std::optional<HandedIn> time_of(const GivenTime* given, const HandIn& hand_in,
                                  const std::optional<ReceiptFacts>& receipt) const;
  void judge_time(const HandedIn& handed_in, Judged& judged) const;

  const TimeZone& zone_;
  const CourseLab& lab_;
  std::optional<Instant> due_;
  std::vector<std::string> notes_;
};

}  // namespace grader::course
