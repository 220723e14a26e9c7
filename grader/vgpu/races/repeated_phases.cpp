#include "vgpu/races/repeated_phases.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace vgpu {
namespace {

using Granules = std::vector<std::uint64_t>;

bool contains(const Granules& all, const Granules& some) {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < all.size(); ++i) missing |= some[i] & ~all[i];
  return missing == 0;
}

void add(Granules& to, const Granules& more) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] |= more[i];
}

std::vector<std::uint32_t> numbers_of(const Granules& bits) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t first = 0;
  for (std::uint64_t rest : bits) {
    for (; rest != 0; rest &= rest - 1)
      numbers.push_back(first + static_cast<std::uint32_t>(std::countr_zero(rest)));
    first += 64;
  }
  return numbers;
}

std::uint64_t hash_of(const LaneOffsets& lanes) {
  std::uint64_t hash = lanes.mask;
  for (const std::uint32_t offset : lanes.from) hash = (hash ^ offset) * 0x9E3779B97F4A7C15U;
  return hash;
}

}  // namespace

void RepeatedPhases::begin_block(bool can_repeat) {
  state_ = State::off;
  skipped_.clear();
  forget_block();
  ++block_;
  is_complete_ = is_first_ = true;
  begin_phase(can_repeat, false);
}

void RepeatedPhases::forget_block() {
  std::fill(written_.begin(), written_.end(), 0);
  std::fill(read_.begin(), read_.end(), 0);
  skipped_phases_.clear();
  is_complete_ = false;
  previous_ = kNone;
}

void RepeatedPhases::begin_phase(bool can_repeat, bool has_dropped_loads) {
  end_phase(has_dropped_loads);
  state_ = can_repeat ? State::fresh : State::off;
  is_complete_ &= can_repeat;
}

void RepeatedPhases::end_block() {
  end_phase(true);
  state_ = State::off;
}

void RepeatedPhases::end_phase(bool has_dropped_loads) {
  if (state_ == State::following) end_followed();
  if (state_ == State::listing) end_listed(has_dropped_loads);
  next_ = end_ = nullptr;
}

void RepeatedPhases::end_followed() {
  Phase& phase = phases_[followed_];
  const SkippedPhase skipped{followed_, static_cast<std::size_t>(next_ - phase.accesses.data())};
  std::erase_if(skipped_phases_, [&](const SkippedPhase& earlier) {
    return earlier.phase == skipped.phase && earlier.accesses <= skipped.accesses;
  });
  skipped_phases_.push_back(skipped);
  if (next_ == end_) {
    phase.departures = 0;
    return was_executed(followed_);
  }
  // The first accesses of a phase without findings have none, either.
  for (const PhaseAccess& access : std::span(phase.accesses.data(), next_))
    for_granules(access, [&](std::size_t word, std::uint64_t bit) {
      (access.is_store ? written_ : read_)[word] |= bit;
    });
  ++phase.departures;
  previous_ = kNone;
}

void RepeatedPhases::end_listed(bool has_dropped_loads) {
  Phase phase{list_, Granules(words_), Granules(words_), Granules(words_)};
  phase.has_dropped_loads = has_dropped_loads;
  for (const PhaseAccess& access : list_)
    for_granules(access, [&](std::size_t word, std::uint64_t bit) {
      if (!access.is_store) phase.needed[word] |= bit & ~phase.written[word];
      (access.is_store ? phase.written : phase.read)[word] |= bit;
    });
  listed_ += list_.size();
  phases_.push_back(std::move(phase));
  was_executed(phases_.size() - 1);
}

void RepeatedPhases::was_executed(std::size_t index) {
  Phase& phase = phases_[index];
  if (std::exchange(phase.block, block_) != block_) {
    add(written_, phase.written);
    add(read_, phase.read);
  }
  if (std::exchange(is_first_, false)) first_ = index;
  if (previous_ != kNone) phases_[previous_].next = index;
  previous_ = index;
}

std::size_t RepeatedPhases::find(const PhaseAccess& first, const LaneOffsets& lanes,
                                 bool needs_written) const {
  const auto can_begin = [&](std::size_t index) {
    if (index == kNone) return false;
    const Phase& phase = phases_[index];
    const PhaseAccess& begin = phase.accesses.front();
    return phase.departures < kMostDepartures && begin.is_like(first) && lanes_of(begin) == lanes &&
           (!needs_written || phase.block == block_ || contains(written_, phase.needed));
  };
  const std::size_t expected = is_first_ ? first_ : previous_ == kNone ? kNone : phases_[previous_].next;
  if (can_begin(expected)) return expected;
  for (std::size_t index = 0; index < phases_.size(); ++index)
    if (can_begin(index)) return index;
  return kNone;
}

bool RepeatedPhases::step(const PhaseAccess& access, const LaneOffsets& lanes, bool needs_written) {
  if (state_ == State::fresh) {
    followed_ = find(access, lanes, needs_written);
    state_ = followed_ == kNone ? State::listing : State::following;
    list_.clear();
    if (followed_ != kNone) {
      next_ = phases_[followed_].accesses.data();
      end_ = next_ + phases_[followed_].accesses.size();
    }
  }
  if (state_ == State::following) {
    if (next_ != end_ && next_->is_like(access) && lanes_of(*next_) == lanes) {
      next_->learned = access.learned;
      ++next_;
      return true;
    }
    depart();
    list_ = skipped_;
    state_ = State::listing;
  }
  list(access, lanes);
  return false;
}

void RepeatedPhases::depart() {
  Phase& phase = phases_[followed_];
  ++phase.departures;
  skipped_.assign(phase.accesses.data(), next_);
  next_ = end_ = nullptr;
}

void RepeatedPhases::leave() {
  if (state_ == State::following) depart();
  state_ = State::off;
  is_complete_ = false;
  previous_ = kNone;
}

void RepeatedPhases::list(PhaseAccess access, const LaneOffsets& lanes) {
  if (phases_.size() == kMostPhases || listed_ + list_.size() >= kMostAccesses) return leave();
  const std::size_t pattern = number_of(lanes);
  if (pattern == kMostPatterns) return leave();
  access.pattern = static_cast<std::uint16_t>(pattern);
  list_.push_back(access);
}

std::size_t RepeatedPhases::number_of(const LaneOffsets& lanes) {
  const std::uint64_t hash = hash_of(lanes);
  for (auto known = hashes_.begin(); (known = std::find(known, hashes_.end(), hash)) != hashes_.end();
       ++known) {
    const auto number = static_cast<std::size_t>(known - hashes_.begin());
    if (patterns_[number].lanes == lanes) return number;
  }
  if (patterns_.size() == kMostPatterns) return kMostPatterns;
  patterns_.push_back({lanes, runs_of(lanes)});
  hashes_.push_back(hash);
  return patterns_.size() - 1;
}

std::vector<RepeatedPhases::Run> RepeatedPhases::runs_of(const LaneOffsets& lanes) {
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1)
    offsets.push_back(lanes.from[static_cast<unsigned>(std::countr_zero(rest))]);
  // Offsets before the first lane's are negative numbers without their sign.
  std::sort(offsets.begin(), offsets.end(), [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  });
  std::vector<Run> runs;
  for (const std::uint32_t offset : offsets) {
    if (runs.empty() || (offset != runs.back().last && offset != runs.back().last + kWord))
      runs.push_back({offset, offset});
    runs.back().last = offset;
  }
  return runs;
}

template <class Visit>
void RepeatedPhases::for_granules(const PhaseAccess& access, Visit visit) const {
  for (const Run& run : patterns_[access.pattern].runs) {
    std::size_t granule = (access.base + run.first) / kWord;
    const std::size_t end = (access.base + run.last + access.bytes) / kWord;
    while (granule < end) {
      const std::size_t count = std::min(end - granule, kBits - granule % kBits);
      visit(granule / kBits, ~std::uint64_t{0} >> (kBits - count) << granule % kBits);
      granule += count;
    }
  }
}

RepeatedPhases::Skipped RepeatedPhases::take_skipped() {
  Skipped skipped{.present = std::exchange(skipped_, {})};
  for (const auto& [index, count] : skipped_phases_) {
    const Phase& phase = phases_[index];
    for (const PhaseAccess& access : std::span(phase.accesses).first(count))
      if (access.is_store || !phase.has_dropped_loads) skipped.earlier.push_back(access);
  }
  if (!skipped_phases_.empty()) skipped.read = numbers_of(read_);
  skipped_phases_.clear();
  return skipped;
}

std::optional<std::uint64_t> RepeatedPhases::used(std::size_t first, std::size_t end) const {
  if (!is_complete_) return std::nullopt;
  std::uint64_t count = 0;
  for (std::size_t i = first / kBits; i * kBits < end; ++i) {
    std::uint64_t bits = written_[i] & read_[i];
    if (i == first / kBits) bits &= ~std::uint64_t{0} << first % kBits;
    if (end < (i + 1) * kBits) bits &= ~(~std::uint64_t{0} << end % kBits);
    count += static_cast<std::uint64_t>(std::popcount(bits));
  }
  return count;
}

}  // namespace vgpu
