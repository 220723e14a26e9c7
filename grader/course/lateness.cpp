#include "course/lateness.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/numbers.hpp"
#include "report/terminal.hpp"

namespace grader::course {
namespace {

std::string lms_name(const std::string& lms) {
  if (lms == "canvas") return "Canvas";
  if (lms == "moodle") return "Moodle";
  return lms == "gradescope" ? "Gradescope" : "the LMS";
}

/// The number of days that have begun between `due` and `at`: clock times count, not hours.
int days_late(const TimeZone& zone, Instant due, Instant at) {
  int days = std::max<int>(1, static_cast<int>(std::chrono::ceil<std::chrono::days>(at - due).count()) - 1);
  while (zone.plus_days(due, days) < at) ++days;
  return days;
}

}  // namespace

void Lateness::extend(const Extension& one) {
  if (!lab_.due) return;
  const Instant due = one.due ? *one.due : zone_.plus_days(*lab_.due, one.days);
  if (due <= *due_) return;
  due_ = due;
  notes_ = {fmt::format("due {} instead of {}: {}", zone_.text(due), zone_.text(*lab_.due),
                        one.reason.empty() ? "extension" : one.reason)};
}

std::optional<HandedIn> Lateness::time_of(const GivenTime* given, const HandIn& hand_in,
                                          const std::optional<ReceiptFacts>& receipt) const {
  if (given != nullptr) return HandedIn{given->at, given->source};
  const auto instant = [&](const std::string& text) {
    const auto written = read_time(text);
    return written ? written->in(zone_) : std::nullopt;
  };
  if (const auto at = instant(hand_in.submitted_at)) return HandedIn{*at, lms_name(hand_in.lms)};
  const bool has_receipt = receipt && receipt->problem.empty() && receipt->files_match;
  const auto packed = has_receipt ? instant(receipt->packed_at) : std::nullopt;
  if (!packed) return std::nullopt;
  // The LMS's statement that a hand-in is in time, or late, counts more than the receipt's time.
  const bool contradicts = hand_in.late && due_ && *hand_in.late != (*packed > *due_);
  return contradicts ? std::nullopt : std::optional(HandedIn{*packed, "receipt, by the student's clock"});
}

Judged Lateness::judge(const GivenTime* given, const HandIn& hand_in,
                       const std::optional<ReceiptFacts>& receipt) const {
  Judged judged;
  judged.due = due_;
  judged.notes = notes_;
  judged.handed_in = time_of(given, hand_in, receipt);
  if (!due_) return judged;
  if (judged.handed_in)
    judge_time(*judged.handed_in, judged);
  else if (hand_in.late.value_or(false))
    judged.doubt = lms_name(hand_in.lms) + " marks it as late, but gives no time";
  else if (!hand_in.late && !hand_in.submitted_at.empty())
    judged.doubt =
        fmt::format("the time of hand-in, \"{}\", cannot be read", printable(hand_in.submitted_at));
  else if (!hand_in.late)
    judged.doubt = "no time of hand-in is known";
  if (!judged.doubt.empty()) judged.notes.push_back(judged.doubt + ": no deduction");
  return judged;
}

void Lateness::judge_time(const HandedIn& handed_in, Judged& judged) const {
  if (handed_in.at <= *due_) return;
  const LatePolicy& late = lab_.late;
  const std::string times =
      fmt::format("due {}, handed in {} ({})", zone_.text(*due_), zone_.text(handed_in.at), handed_in.source);
  const Instant grace_end = *due_ + std::chrono::minutes(late.grace_minutes);
  if (handed_in.at <= grace_end) {
    judged.notes.push_back(fmt::format("no deduction within {} min of grace: {}", late.grace_minutes, times));
    return;
  }
  const int days = days_late(zone_, *due_, handed_in.at);
  if (late.hard_end_days && days > *late.hard_end_days) {
    judged.share_lost = 1;
    judged.deduction =
        fmt::format("no points after the hard end {}: {}",
                    zone_.text(std::max(grace_end, zone_.plus_days(*due_, *late.hard_end_days))), times);
    return;
  }
  const std::string how_late = fmt::format("{} {} late", days, days == 1 ? "day" : "days");
  const double percent = std::min(100.0, late.percent_per_day * days);
  if (percent == 0) {
    judged.notes.push_back(fmt::format("{}, no deduction: {}", how_late, times));
    return;
  }
  judged.share_lost = percent / 100;
  judged.deduction = fmt::format("{} % off for {}: {}", points_text(percent), how_late, times);
}

}  // namespace grader::course
