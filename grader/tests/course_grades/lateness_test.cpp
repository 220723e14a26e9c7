#include "course/lateness.hpp"

#include <filesystem>

#include "catch.hpp"

namespace lateness_test {

using namespace grader;
using namespace grader::course;
using testing::contains;

namespace {

/// A lab that is due on 2026-11-20 at 23:59, with 10 % a day, 15 minutes of grace and a hard end after 7
/// days.
class Due {
 public:
  explicit Due(const std::string& zone = "+01:00", const std::string& due = "2026-11-20 23:59")
      : zone_(*TimeZone::named(zone)) {
    lab_.id = "02-tiled-matmul";
    lab_.due = read_time(due)->in(zone_);
    lab_.late = {10, 15, 7};
  }

  CourseLab& lab() { return lab_; }
  void extend(const std::string& due, const std::string& reason) {
    extensions_.push_back({{}, "", read_time(due)->in(zone_), 0, reason});
  }
  void extend(int days) { extensions_.push_back({{}, "", std::nullopt, days, ""}); }

  Judged judge(const HandIn& hand_in, const std::optional<ReceiptFacts>& receipt = {},
               const GivenTime* given = nullptr) const {
    Lateness lateness(zone_, lab_);
    for (const Extension& one : extensions_) lateness.extend(one);
    return lateness.judge(given, hand_in, receipt);
  }
  /// Handed in through Gradescope at this time.
  Judged at(const std::string& time) const { return judge({.lms = "gradescope", .submitted_at = time}); }
  Instant instant(const std::string& time) const { return *read_time(time)->in(zone_); }

 private:
  TimeZone zone_;
  CourseLab lab_;
  std::vector<Extension> extensions_;
};

ReceiptFacts receipt(const std::string& packed_at) {
  ReceiptFacts facts;
  facts.packed_at = packed_at;
  facts.files_match = true;
  return facts;
}

}  // namespace

TEST_CASE("lateness: the due minute is in time, grace costs nothing, then each begun day costs") {
  const Due due;
  CHECK(due.at("2026-11-20 22:59:59.999 Z").share_lost == 0);  // 23:59 in the course's zone
  CHECK(due.at("2026-11-20 23:59").notes.empty());
  const Judged grace = due.at("2026-11-21 00:14");
  CHECK(grace.share_lost == 0);
  CHECK(grace.notes ==
        std::vector<std::string>{"no deduction within 15 min of grace: due 2026-11-20 23:59 +01:00, "
                                 "handed in 2026-11-21 00:14 +01:00 (Gradescope)"});
  const Judged one = due.at("2026-11-21 00:15");
  CHECK(one.share_lost == 0.1);
  CHECK(
      one.deduction ==
      "10 % off for 1 day late: due 2026-11-20 23:59 +01:00, handed in 2026-11-21 00:15 +01:00 (Gradescope)");
  CHECK(due.at("2026-11-21 23:59").share_lost == 0.1);
  CHECK(due.at("2026-11-22 00:00").share_lost == 0.2);
  CHECK(due.at("2026-11-27 23:59").share_lost == 0.7);
}

TEST_CASE("lateness: nothing counts after the hard end, and no deduction is above 100 %") {
  Due due;
  const Judged end = due.at("2026-11-28 00:00");
  CHECK(end.share_lost == 1);
  CHECK_THAT(end.deduction,
             Catch::Matchers::StartsWith("no points after the hard end 2026-11-27 23:59 +01:00: due"));
  due.lab().late = {30, 0, std::nullopt};
  CHECK(due.at("2026-11-25 12:00").share_lost == 1);
  CHECK_THAT(due.at("2026-11-25 12:00").deduction, Catch::Matchers::StartsWith("100 % off for 5 days late"));
  due.lab().late = {0, 30, 0};  // nothing is accepted after the grace
  CHECK(due.at("2026-11-21 00:29").share_lost == 0);
  CHECK_THAT(due.at("2026-11-21 00:30").deduction,
             Catch::Matchers::StartsWith("no points after the hard end 2026-11-21 00:29"));
}

TEST_CASE(
    "lateness: without a policy it is stated and costs nothing, and without a due time nothing is late") {
  Due due;
  due.lab().late = {};
  CHECK(due.at("2026-11-22 12:00").deduction.empty());
  CHECK_THAT(due.at("2026-11-22 12:00").notes.at(0),
             Catch::Matchers::StartsWith("2 days late, no deduction: due"));
  due.lab().due.reset();
  CHECK(due.at("2026-11-22 12:00").notes.empty());
  CHECK(due.judge({}).doubt.empty());
}

TEST_CASE("lateness: a day has 25 or 23 hours when clocks change") {
  if (!std::filesystem::exists("/usr/share/zoneinfo/Europe/Berlin")) return;
  const Due autumn("Europe/Berlin", "2026-10-24 23:59"), spring("Europe/Berlin", "2026-03-28 23:59");
  CHECK(autumn.at("2026-10-25 23:59").share_lost == 0.1);  // 25 hours later
  CHECK(autumn.at("2026-10-26 00:00").share_lost == 0.2);
  CHECK(spring.at("2026-03-29 23:59").share_lost == 0.1);
  CHECK(spring.at("2026-03-30 00:00").share_lost == 0.2);  // 23 hours and a minute later
  CHECK_THAT(autumn.at("2026-10-25 02:30").deduction,
             contains("due 2026-10-24 23:59 +02:00, handed in 2026-10-25 02:30 +01:00"));
}

TEST_CASE("lateness: an extension moves the due time and the hard end, and the latest of several counts") {
  Due due;
  due.extend("2026-11-27 23:59", "sick note");
  due.extend(2);
  const Judged in_time = due.at("2026-11-27 23:59");
  CHECK(in_time.share_lost == 0);
  CHECK(in_time.notes == std::vector<std::string>{
                             "due 2026-11-27 23:59 +01:00 instead of 2026-11-20 23:59 +01:00: sick note"});
  CHECK(due.at("2026-11-29 00:00").share_lost == 0.2);
  CHECK(due.at("2026-12-04 23:59").share_lost == 0.7);
  CHECK(due.at("2026-12-05 00:00").share_lost == 1);
  Due by_days;
  by_days.extend(2);
  CHECK(by_days.at("2026-11-22 23:59").share_lost == 0);
  CHECK_THAT(by_days.at("2026-11-22 23:59").notes.at(0), Catch::Matchers::EndsWith(": extension"));
}

TEST_CASE("the instructor's time counts more than the LMS's, and that more than the receipt's") {
  const Due due;
  const HandIn late{.lms = "gradescope", .submitted_at = "2026-11-22 12:00"}, silent{.lms = "moodle"};
  const GivenTime given{{}, "", due.instant("2026-11-20 10:00"), "instructor's list"};
  CHECK(due.judge(late, receipt("2026-11-19T10:00:00+01:00"), &given).handed_in->source ==
        "instructor's list");
  CHECK(due.judge(late, receipt("2026-11-19T10:00:00+01:00")).handed_in->source == "Gradescope");
  CHECK(due.judge(late, receipt("2026-11-19T10:00:00+01:00")).share_lost == 0.2);
  const Judged by_receipt = due.judge(silent, receipt("2026-11-21T10:00:00+01:00"));
  CHECK(by_receipt.share_lost == 0.1);
  CHECK_THAT(by_receipt.deduction, Catch::Matchers::EndsWith("(receipt, by the student's clock)"));
}

TEST_CASE("a receipt that cannot be used, or contradicts the LMS, is no time") {
  const Due due;
  ReceiptFacts other_files = receipt("2026-11-19T10:00:00+01:00"), broken;
  other_files.files_match = false;
  broken.problem = "is not JSON";
  for (const ReceiptFacts& facts : {other_files, broken, receipt("soon")})
    CHECK(due.judge({}, facts).doubt == "no time of hand-in is known");
  const HandIn marked{.lms = "canvas", .late = true};
  CHECK(due.judge(marked, receipt("2026-11-19T10:00:00+01:00")).doubt ==
        "Canvas marks it as late, but gives no time");
  CHECK(due.judge(marked, receipt("2026-11-22T10:00:00+01:00")).share_lost == 0.2);
}

TEST_CASE("a missing or unreadable time costs nothing, and the instructor gets a warning") {
  const Due due;
  const Judged unknown = due.judge({.lms = "moodle"});
  CHECK(unknown.share_lost == 0);
  CHECK(unknown.doubt == "no time of hand-in is known");
  CHECK(unknown.notes == std::vector<std::string>{"no time of hand-in is known: no deduction"});
  CHECK(due.judge({.lms = "canvas", .late = true}).notes.at(0) ==
        "Canvas marks it as late, but gives no time: no deduction");
  CHECK(due.judge({.lms = "canvas", .late = false}).doubt.empty());
  CHECK(due.judge({.lms = "gradescope", .submitted_at = "yester\x1b[0mday"}).doubt ==
        "the time of hand-in, \"yester?[0mday\", cannot be read");
}

}  // namespace lateness_test
