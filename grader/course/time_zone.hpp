// Instants, and the local times that people read and write, in whole minutes. All values are immutable; only
// TimeZone::named() uses the system. Covered by course_grades/time_zone_test.cpp.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"

namespace grader::course {

using Instant = std::chrono::sys_time<std::chrono::minutes>;
using LocalTime = std::chrono::local_time<std::chrono::minutes>;

/// The offset of local time from UTC, as it changes over the years 2000 to 2100.
class TimeZone {
 public:
  TimeZone() = default;  ///< UTC
  static TimeZone fixed(std::chrono::minutes offset);
  /// "Europe/Berlin", "UTC" or "+01:00". Reads the system's database of time zones once, through the C
  /// library and the environment variable TZ: call it before other threads exist. The error is a clause:
  /// "names no time zone of this system".
  static Expected<TimeZone, std::string> named(const std::string& name);

  std::chrono::minutes offset_at(Instant when) const;
  /// The instant at which clocks show `local`. nullopt: clocks skip this time. If they show it twice, the
  /// later instant.
  std::optional<Instant> instant_of(LocalTime local) const;
  /// The instant, this many calendar days later, at which clocks show the same time of day. If clocks skip
  /// that time, they show it after the skipped hour.
  Instant plus_days(Instant when, int days) const;
  /// "2026-11-20 23:59 +01:00"
  std::string text(Instant when) const;

 private:
  struct Change {
    Instant when;
    std::chrono::minutes offset;  ///< from then on
  };
  std::vector<Change> changes_ = {{Instant::min(), std::chrono::minutes(0)}};  ///< never empty, in order
};

/// A time as it was written.
struct WrittenTime {
  LocalTime local;
  std::optional<std::chrono::minutes> offset;  ///< absent: the text has none

  /// The instant, in `zone` if the text has no offset; nullopt as instant_of().
  std::optional<Instant> in(const TimeZone& zone) const;
};

/// Reads "2026-11-20 23:59", "2026-11-20T23:59:30.5+01:00", "2026-11-20 23:59:00 UTC", or, as Moodle writes
/// it, "Friday, 20 November 2026, 11:59 PM". Seconds are dropped. nullopt: another form, or no such date.
std::optional<WrittenTime> read_time(const std::string& text);

}  // namespace grader::course
