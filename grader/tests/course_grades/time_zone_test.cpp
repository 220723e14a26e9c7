#include "course/time_zone.hpp"

#include <cstdlib>
#include <filesystem>

#include "catch.hpp"

namespace time_zone_test {

using namespace grader::course;

namespace {

/// Tests of names need the system's database of time zones.
bool has_zones() { return std::filesystem::exists("/usr/share/zoneinfo/Europe/Berlin"); }

TimeZone berlin() {
  auto zone = TimeZone::named("Europe/Berlin");
  if (!zone) FAIL(zone.error());
  return *zone;
}

/// "2026-11-20 23:59" → the instant's text in the zone.
std::string in(const TimeZone& zone, const std::string& text) {
  const auto written = read_time(text);
  if (!written) return "unreadable";
  const auto instant = written->in(zone);
  return instant ? zone.text(*instant) : "skipped";
}

Instant at(const TimeZone& zone, const std::string& text) { return *read_time(text)->in(zone); }

}  // namespace

TEST_CASE("times are read in the forms of instructors, receipts and LMSs") {
  const TimeZone zone = *TimeZone::named("+01:00");
  CHECK(in(zone, "2026-11-20 23:59") == "2026-11-20 23:59 +01:00");
  CHECK(in(zone, "2026-11-20T23:59:58") == "2026-11-20 23:59 +01:00");
  CHECK(in(zone, "2026-11-20 23:59 -05:00") == "2026-11-21 05:59 +01:00");
  CHECK(in(zone, "2026-11-20T22:59:00.123456789Z") == "2026-11-20 23:59 +01:00");
  CHECK(in(zone, "2026-11-20 22:59:33.000000000 Z") == "2026-11-20 23:59 +01:00");
  CHECK(in(zone, "2026-11-20 22:59:33 UTC") == "2026-11-20 23:59 +01:00");
  CHECK(in(zone, "2026-11-20 18:29 -0430") == "2026-11-20 23:59 +01:00");
  CHECK(in(zone, "Friday, 20 November 2026, 11:59 PM") == "2026-11-20 23:59 +01:00");
  CHECK(in(zone, "Friday, 20 November 2026, 12:05 AM") == "2026-11-20 00:05 +01:00");
  CHECK(in(zone, "1 May 2026, 7:05") == "2026-05-01 07:05 +01:00");
  CHECK(in(zone, "2028-02-29 00:00") == "2028-02-29 00:00 +01:00");
}

TEST_CASE("other texts and dates that do not exist are no times") {
  for (const char* text : {"",
                           "2026-11-20",
                           "23:59",
                           "2026-11-31 10:00",
                           "2027-02-29 10:00",
                           "2026-13-01 10:00",
                           "2026-11-20 24:00",
                           "2026-11-20 23:60",
                           "2026-11-20 23:59 +1",
                           "2026-11-20 23:59 +15:00",
                           "2026-11-20 23:59 CET",
                           "2026-11-20 23:59 +01:00 x",
                           "20.11.2026 23:59",
                           "11/20/2026 23:59",
                           "1999-12-31 23:59",
                           "2026-11-20 23:59:",
                           "2026-11-20 23:59:61",
                           "99999999999999999999-11-20 23:59",
                           "Friday, 20 Novembre 2026, 11:59 PM",
                           "Friday, 20 November 2026, 13:59 PM",
                           ", ",
                           "Friday, "}) {
    INFO(text);
    CHECK_FALSE(read_time(text).has_value());
  }
}

TEST_CASE("a zone's name is a name or an offset, and anything else is refused") {
  CHECK(TimeZone::named("UTC").has_value());
  CHECK(TimeZone::named("-03:30")->text(Instant{}) == "1969-12-31 20:30 -03:30");
  for (const char* name : {"", "Berlin", "Europe/Berlni", "../../etc/passwd", "/etc/localtime", "right/UTC",
                           "posix/UTC", "Europe/", "Europe", "+25:00", "CEST", "Europe/../UTC"}) {
    INFO(name);
    CHECK_FALSE(TimeZone::named(name).has_value());
  }
}

TEST_CASE("named zones: offsets follow the clock changes") {
  if (!has_zones()) return;
  const TimeZone zone = berlin();
  CHECK(in(zone, "2026-07-01 12:00") == "2026-07-01 12:00 +02:00");
  CHECK(in(zone, "2026-12-01 12:00") == "2026-12-01 12:00 +01:00");
  CHECK(in(zone, "2026-03-29 01:59") == "2026-03-29 01:59 +01:00");
  CHECK(in(zone, "2026-03-29 02:30") == "skipped");
  CHECK(in(zone, "2026-03-29 03:00") == "2026-03-29 03:00 +02:00");
  CHECK(in(zone, "2026-10-25 01:59") == "2026-10-25 01:59 +02:00");
  CHECK(in(zone, "2026-10-25 02:30") == "2026-10-25 02:30 +01:00");  // shown twice: the later one
  CHECK(in(zone, "2026-10-25 03:00") == "2026-10-25 03:00 +01:00");
  CHECK(in(zone, "2099-07-01 12:00") == "2099-07-01 12:00 +02:00");
  CHECK(in(*TimeZone::named("Australia/Lord_Howe"), "2026-12-01 12:00") == "2026-12-01 12:00 +11:00");
  CHECK(in(*TimeZone::named("Australia/Lord_Howe"), "2026-07-01 12:00") == "2026-07-01 12:00 +10:30");
  CHECK(in(*TimeZone::named("America/New_York"), "2026-11-01 12:00") == "2026-11-01 12:00 -05:00");
  CHECK(in(*TimeZone::named("Asia/Kolkata"), "2026-11-01 12:00") == "2026-11-01 12:00 +05:30");
}

TEST_CASE("a day later is the same time of day, whatever clocks do") {
  if (!has_zones()) return;
  const TimeZone zone = berlin();
  const auto later = [&](const std::string& text, int days) {
    return zone.text(zone.plus_days(at(zone, text), days));
  };
  CHECK(later("2026-10-24 23:59", 1) == "2026-10-25 23:59 +01:00");  // 25 hours
  CHECK(later("2026-03-28 23:59", 1) == "2026-03-29 23:59 +02:00");  // 23 hours
  CHECK(later("2026-03-28 02:30", 1) == "2026-03-29 03:30 +02:00");  // clocks skip 02:30
  CHECK(later("2026-12-30 12:00", 3) == "2027-01-02 12:00 +01:00");
}

TEST_CASE("reading a zone leaves the process's own zone as it was") {
  ::setenv("TZ", "UTC-5", 1);
  (void)TimeZone::named("Europe/Berlin");
  CHECK(std::string(std::getenv("TZ")) == "UTC-5");
  ::unsetenv("TZ");
  (void)TimeZone::named("Europe/Berlin");
  CHECK(std::getenv("TZ") == nullptr);
}

}  // namespace time_zone_test
