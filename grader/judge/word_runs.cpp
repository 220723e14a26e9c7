#include "judge/word_runs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/radix_sort.hpp"

namespace grader {
namespace {

using harness::Words;
using Place = std::int64_t;

constexpr Place kNowhere = -1;
constexpr std::size_t kMostLags = 16;

/// Sources, one after the other.
class Places {
 public:
  explicit Places(std::span<const IndexedWords* const> sources) : sources_(sources) {}

  bool holds(Place place, std::uint32_t word) const {
    if (place < 0) return false;
    auto at = static_cast<std::size_t>(place);
    for (const IndexedWords* source : sources_) {
      if (at < source->words().size()) return source->words()[at] == word;
      at -= source->words().size();
    }
    return false;
  }
  Place find(std::uint32_t word) const {
    std::size_t before = 0;
    for (const IndexedWords* source : sources_) {
      if (const auto at = source->first(word)) return static_cast<Place>(before + *at);
      before += source->words().size();
    }
    return kNowhere;
  }

 private:
  std::span<const IndexedWords* const> sources_;
};

/// Follows the words one by one. Each word continues the run some words before it, some places further. Where
/// several ways fit the beginning of a run, those remain that fit all of its words.
class Course {
 public:
  explicit Course(const Places& places) : places_(places) {}

  /// Returns whether the word starts a run.
  bool follow(std::uint32_t word) {
    const auto place = next_in_run(word);
    append(word, place ? *place : start_run(word));
    has_started_ = !place;
    return has_started_;
  }

 private:
  struct Sent {
    std::uint32_t word = 0;
    Place place = kNowhere;
  };
  /// Words and places from one word of a run to the next.
  struct Way {
    std::size_t lag = 1;
    Place step = 1;
    friend bool operator==(const Way&, const Way&) = default;
  };

  /// The place of the word if it continues this run. A word without a place repeats.
  std::optional<Place> continued(std::uint32_t word, const Way& way) const {
    if (way.lag > count_) return std::nullopt;
    const Sent& last = before(way.lag);
    if (last.place == kNowhere) return last.word == word ? std::optional(kNowhere) : std::nullopt;
    return places_.holds(last.place + way.step, word) ? std::optional(last.place + way.step) : std::nullopt;
  }

  /// Of the ways that fit, if any does, the others are dropped. Returns the place by the first of them.
  std::optional<Place> follow_ways(std::uint32_t word, std::vector<Way>& ways) const {
    for (const Way& way : ways) {
      const auto place = continued(word, way);
      if (!place) continue;
      if (ways.size() > 1) std::erase_if(ways, [&](const Way& other) { return !continued(word, other); });
      return place;
    }
    return std::nullopt;
  }

  /// After its first word, a run can be a part of the source as it is, or a word that repeats, whatever the
  /// run before it was.
  std::optional<Place> next_in_run(std::uint32_t word) {
    if (!has_started_) return follow_ways(word, ways_);
    std::vector<Way> ways = ways_;
    for (const Way& way : {Way{1, 1}, Way{1, 0}})
      if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
    const auto place = follow_ways(word, ways);
    if (place) ways_ = std::move(ways);
    return place;
  }

  /// The next run goes another way only if the last one was a single word: rows of a tile start anew, too.
  Place start_run(std::uint32_t word) {
    if (!has_started_) return places_.find(word);
    std::vector<Way> ways;
    for (std::size_t lag = 1; lag <= kMostLags; ++lag) {
      ways.push_back({lag, 1});
      if (step_at(lag) != 1) ways.push_back({lag, step_at(lag)});
    }
    const auto place = follow_ways(word, ways);
    if (!place) return places_.find(word);
    ways_ = std::move(ways);
    return *place;
  }
  Place step_at(std::size_t lag) const {
    if (2 * lag > count_) return 1;
    const Place last = before(lag).place, previous = before(2 * lag).place;
    return last == kNowhere || previous == kNowhere ? 1 : last - previous;
  }

  const Sent& before(std::size_t lag) const { return recent_[(count_ - lag) % recent_.size()]; }
  void append(std::uint32_t word, Place place) { recent_[count_++ % recent_.size()] = {word, place}; }

  const Places& places_;
  std::vector<Way> ways_{Way{}};              ///< of the present run, or of the last one
  bool has_started_ = false;                  ///< the word before it started a run
  std::array<Sent, 2 * kMostLags> recent_{};  ///< a ring: word i is at i modulo its size
  std::size_t count_ = 0;
};

/// The index costs about as much as to read the words this many times.
constexpr unsigned kSearchesWithoutIndex = 16;

}  // namespace

IndexedWords::IndexedWords(Words words) : words_(std::move(words)) {}

const std::vector<PlacedWord>& IndexedWords::index() const {
  if (!index_.empty()) return index_;
  index_.reserve(words_.size());
  for (const std::uint32_t word : words_) index_.push_back({word, static_cast<std::uint32_t>(index_.size())});
  radix_sort(index_, [](const PlacedWord& one) { return one.word; });  // stable
  return index_;
}

bool IndexedWords::has(std::uint32_t word) const {
  if (next_ == words_.size() || words_[next_] != word) {
    const auto found = first(word);
    if (!found) return false;
    next_ = *found;
  }
  ++next_;
  return true;
}

std::optional<std::size_t> IndexedWords::first(std::uint32_t word) const {
  if (index_.empty() && ++searches_ <= kSearchesWithoutIndex) {
    const auto found = std::find(words_.begin(), words_.end(), word);
    if (found == words_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - words_.begin());
  }
  const std::vector<PlacedWord>& sorted = index();
  const auto found =
      std::lower_bound(sorted.begin(), sorted.end(), word,
                       [](const PlacedWord& one, std::uint32_t key) { return one.word < key; });
  if (found == sorted.end() || found->word != word) return std::nullopt;
  return found->place;
}

Words IndexedWords::sorted() const {
  Words all;
  all.reserve(words_.size());
  for (const PlacedWord& one : index()) all.push_back(one.word);
  return all;
}

bool IndexedWords::are_mostly_different() const {
  const std::vector<PlacedWord>& sorted = index();
  std::size_t different = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i].word != sorted[i - 1].word) ++different;
  return 8 * different >= 7 * sorted.size();
}

std::size_t count_runs(std::span<const IndexedWords* const> sources, const Words& sent) {
  const Places places(sources);
  Course course(places);
  std::size_t runs = 0;
  for (const std::uint32_t word : sent) runs += course.follow(word) ? 1 : 0;
  return runs;
}

}  // namespace grader
