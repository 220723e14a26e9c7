#include "course/time_zone.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/files.hpp"

namespace grader::course {
namespace {

namespace fs = std::filesystem;
using std::chrono::days;
using std::chrono::minutes;

constexpr std::chrono::year kFirst{2000}, kLast{2100};
constexpr const char* kZones = "/usr/share/zoneinfo";

/// Sets TZ for the lifetime of the object.
class ZoneOfProcess {
 public:
  explicit ZoneOfProcess(const std::string& name) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    ::setenv("TZ", (":" + name).c_str(), 1);
    ::tzset();
  }
  ~ZoneOfProcess() {
    if (before_)
      ::setenv("TZ", before_->c_str(), 1);
    else
      ::unsetenv("TZ");
    ::tzset();
  }
  ZoneOfProcess(const ZoneOfProcess&) = delete;
  ZoneOfProcess& operator=(const ZoneOfProcess&) = delete;

  static minutes offset_at(Instant when) {
    const std::time_t seconds = std::chrono::seconds(when.time_since_epoch()).count();
    std::tm local{};
    ::localtime_r(&seconds, &local);
    return std::chrono::floor<minutes>(std::chrono::seconds(local.tm_gmtoff));
  }

 private:
  std::optional<std::string> before_;
};

/// The first minute in (before, after] whose offset differs from that at `before`.
Instant change_between(Instant before, Instant after) {
  const minutes offset = ZoneOfProcess::offset_at(before);
  while (after - before > minutes(1)) {
    const Instant middle = before + (after - before) / 2;
    (ZoneOfProcess::offset_at(middle) == offset ? before : after) = middle;
  }
  return after;
}

/// True for the names of files of the database, and not for paths that lead elsewhere. Names that begin with
/// a lower-case letter are variants with leap seconds and other files.
bool is_zone_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const auto is_fit = [&](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("_+-/").find(c) != std::string_view::npos;
  };
  return name.size() < 64 && !name.empty() && name.front() >= 'A' && name.front() <= 'Z' &&
         std::all_of(name.begin(), name.end(), is_fit) && !name.ends_with('/');
}

/// Takes the parts of a time from the front of a text. After a part that does not match, ok() is false.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  /// A number of `least` to `most` digits; 0 if there is none.
  int number(std::size_t least, std::size_t most) {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < most && !rest_.empty() && is_digit(rest_.front()); ++digits)
      value = value * 10 + take() - '0';
    ok_ = ok_ && digits >= least;
    return value;
  }
  /// The first of `words` that the text starts with, which is taken; nullopt: none of them.
  template <std::size_t kCount>
  std::optional<std::string_view> one_of(const std::array<std::string_view, kCount>& words) {
    for (const std::string_view word : words)
      if (skip(word)) return word;
    return std::nullopt;
  }
  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void require(std::string_view word) { ok_ = skip(word) && ok_; }
  std::string_view rest() const { return rest_; }
  /// Drops everything up to and including the word, if it occurs.
  void skip_past(std::string_view word) {
    if (const std::size_t at = rest_.find(word); at != std::string_view::npos)
      rest_.remove_prefix(at + word.size());
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  bool ok_ = true;
};

/// "+01:00", "-0330", "Z"
std::optional<minutes> read_offset(std::string_view text) {
  if (text == "Z" || text == "UTC" || text == "GMT") return minutes(0);
  Scanner scanner(text);
  const auto sign = scanner.one_of(std::array<std::string_view, 2>{"+", "-"});
  if (!sign) return std::nullopt;
  const int hours = scanner.number(2, 2);
  scanner.skip(":");
  const minutes size(hours * 60 + scanner.number(2, 2));
  if (!scanner.at_end() || size > std::chrono::hours(14)) return std::nullopt;
  return *sign == "-" ? -size : size;
}

std::optional<LocalTime> local_time(int year, int month, int day, int hour, int minute) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || date.year() < kFirst || date.year() >= kLast || hour > 23 || minute > 59)
    return std::nullopt;
  return LocalTime(std::chrono::local_days(date)) + std::chrono::hours(hour) + minutes(minute);
}

std::optional<WrittenTime> read_iso_time(std::string_view text) {
  Scanner scanner(text);
  const int year = scanner.number(4, 4);
  scanner.require("-");
  const int month = scanner.number(2, 2);
  scanner.require("-");
  const int day = scanner.number(2, 2);
  if (!scanner.one_of(std::array<std::string_view, 2>{" ", "T"})) return std::nullopt;
  const int hour = scanner.number(2, 2);
  scanner.require(":");
  const int minute = scanner.number(2, 2);
  if (scanner.skip(":") && scanner.number(2, 2) > 60) return std::nullopt;
  if (scanner.skip(".")) scanner.number(1, 9);
  if (!scanner.ok()) return std::nullopt;
  const auto local = local_time(year, month, day, hour, minute);
  if (!local || scanner.at_end())
    return local ? std::optional(WrittenTime{*local, std::nullopt}) : std::nullopt;
  scanner.skip(" ");
  const auto offset = read_offset(scanner.rest());
  return offset ? std::optional(WrittenTime{*local, offset}) : std::nullopt;
}

std::optional<WrittenTime> read_moodle_time(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  Scanner scanner(text);
  if (!text.empty() && !is_digit(text.front())) scanner.skip_past(", ");  // the day of the week
  const int day = scanner.number(1, 2);
  scanner.require(" ");
  const auto month = scanner.one_of(kMonths);
  if (!month) return std::nullopt;
  scanner.require(" ");
  const int year = scanner.number(4, 4);
  scanner.skip(",");
  scanner.require(" ");
  int hour = scanner.number(1, 2);
  scanner.require(":");
  const int minute = scanner.number(2, 2);
  scanner.skip(" ");
  if (const auto half = scanner.one_of(std::array<std::string_view, 2>{"AM", "PM"})) {
    if (hour == 0 || hour > 12) return std::nullopt;
    hour = hour % 12 + (*half == "PM" ? 12 : 0);
  }
  if (!scanner.at_end()) return std::nullopt;
  const auto index = std::find(kMonths.begin(), kMonths.end(), *month) - kMonths.begin();
  const auto local = local_time(year, static_cast<int>(index) + 1, day, hour, minute);
  return local ? std::optional(WrittenTime{*local, std::nullopt}) : std::nullopt;
}

}  // namespace

TimeZone TimeZone::fixed(minutes offset) {
  TimeZone zone;
  zone.changes_.front().offset = offset;
  return zone;
}

Expected<TimeZone, std::string> TimeZone::named(const std::string& name) {
  if (const auto offset = read_offset(name)) return fixed(*offset);
  if (!is_zone_name(name)) return Unexpected{std::string("is no name of a time zone")};
  std::error_code error;
  if (!fs::is_directory(kZones, error))
    return Unexpected{std::string("cannot be resolved: this system has no database of time zones")};
  const fs::path file = fs::canonical(fs::path(kZones) / name, error);  // many names are links to others
  constexpr std::size_t kMaxBytes = 65536;
  const auto bytes = read_file(file, kMaxBytes);
  if (error || !bytes || !bytes->starts_with("TZif"))
    return Unexpected{std::string("names no time zone of this system")};

  const ZoneOfProcess process(name);
  const Instant first = std::chrono::sys_days(kFirst / 1 / 1), last = std::chrono::sys_days(kLast / 1 / 1);
  TimeZone zone = fixed(ZoneOfProcess::offset_at(first));
  for (Instant day = first; day < last; day += days(1)) {
    const Instant next = day + days(1);
    if (ZoneOfProcess::offset_at(day) == ZoneOfProcess::offset_at(next)) continue;
    const Instant change = change_between(day, next);
    zone.changes_.push_back({change, ZoneOfProcess::offset_at(change)});
  }
  return zone;
}

minutes TimeZone::offset_at(Instant when) const {
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), when,
                                     [](Instant value, const Change& change) { return value < change.when; });
  return next == changes_.begin() ? changes_.front().offset : std::prev(next)->offset;
}

std::optional<Instant> TimeZone::instant_of(LocalTime local) const {
  std::optional<Instant> found;
  // Offsets are less than a day, so those of the days around the time are all that can apply.
  const Instant as_utc(local.time_since_epoch());
  for (const Instant around : {as_utc - days(1), as_utc + days(1)}) {
    const Instant candidate = as_utc - offset_at(around);
    if (offset_at(candidate) == offset_at(around)) found = std::max(found.value_or(candidate), candidate);
  }
  return found;
}

Instant TimeZone::plus_days(Instant when, int count) const {
  const LocalTime local((when + offset_at(when)).time_since_epoch() + days(count));
  if (const auto found = instant_of(local)) return *found;
  // The offset before the change makes clocks show the time that is later by the skipped hour.
  const Instant as_utc(local.time_since_epoch());
  return as_utc - offset_at(as_utc - days(1));
}

std::string TimeZone::text(Instant when) const {
  const minutes offset = offset_at(when);
  const auto local = when + offset;
  const auto midnight = std::chrono::floor<days>(local);
  const std::chrono::year_month_day date{midnight};
  const minutes time = local - midnight, size = std::chrono::abs(offset);
  return fmt::format("{}-{:02}-{:02} {:02}:{:02} {}{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.count() / 60, time.count() % 60, offset < minutes(0) ? '-' : '+', size.count() / 60,
                     size.count() % 60);
}

std::optional<Instant> WrittenTime::in(const TimeZone& zone) const {
  return offset ? Instant(local.time_since_epoch()) - *offset : zone.instant_of(local);
}

std::optional<WrittenTime> read_time(const std::string& text) {
  auto read = read_iso_time(text);
  return read ? read : read_moodle_time(text);
}

}  // namespace grader::course
