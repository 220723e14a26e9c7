#include "vgpu/check/value_flow.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "vgpu/state/lanes.hpp"

namespace vgpu::exec {
namespace {

using Bits = FlowStep::Bits;

/// The bytes of the operand with this number.
std::uint32_t operand_bytes(const FlowStep& step, std::size_t operand) {
  if (step.bits == Bits::convert) return step.from_bytes;
  const bool shifts = step.bits == Bits::left || step.bits == Bits::right;
  // Amounts and positions have 32 bits, whatever they are applied to (PTX ISA, "shl", "bfe", "bfi").
  const bool is_amount =
      ((shifts || step.bits == Bits::extract) && operand >= 1) || (step.bits == Bits::insert && operand >= 2);
  return is_amount ? 4 : step.bytes;
}

std::uint64_t value_at(const Warp& warp, std::uint32_t place, std::uint32_t bytes, unsigned lane) {
  const std::byte* from = warp.file + place;
  const bool is_predicate = bytes == 0;  // one mask for all lanes
  if (is_predicate)
    return (*reinterpret_cast<const std::uint32_t*>(from) >> lane & 1U) != 0 ? ~std::uint64_t{0} : 0;
  return bytes == 8 ? reinterpret_cast<const std::uint64_t*>(from)[lane]
                    : reinterpret_cast<const std::uint32_t*>(from)[lane];
}

}  // namespace

void ValueFlow::Marks::set(unsigned lane, const Mark& mark) {
  const std::uint32_t bit = std::uint32_t{1} << lane;
  lanes = mark.bits != 0 ? lanes | bit : lanes & ~bit;
  marked[lane] = mark;
}

void ValueFlow::begin_block() {
  marks_.clear();
  filter_.reset();
  copies_.clear();
  same_.assign(1, 0);
  is_used_.assign(1, false);
  copying_.assign(1, {});
}

ValueFlow::Label ValueFlow::add_label(const Copying& copying) {
  constexpr std::size_t kMost = std::numeric_limits<Label>::max();
  if (same_.size() < kMost) {
    same_.push_back(static_cast<Label>(same_.size()));
    is_used_.push_back(false);
    copying_.push_back(copying);
  }
  return static_cast<Label>(same_.size() - 1);
}

ValueFlow::Label ValueFlow::root(Label label) const {
  while (same_[label] != label) label = same_[label];
  return label;
}

/// A value of two origins: a use counts for both.
ValueFlow::Label ValueFlow::merged(Label a, Label b) {
  if (a == 0 || b == 0) return std::max(a, b);
  const Label older = std::min(root(a), root(b)), younger = std::max(root(a), root(b));
  same_[younger] = older;
  is_used_[older] = is_used_[older] || is_used_[younger];
  copying_[older].is_allowed = copying_[older].is_allowed && copying_[younger].is_allowed;
  copying_[older].follows_results = copying_[older].follows_results && copying_[younger].follows_results;
  copying_[older].element_bytes = std::min(copying_[older].element_bytes, copying_[younger].element_bytes);
  return older;
}

ValueFlow::Mark ValueFlow::merged(const Mark& a, const Mark& b) {
  if (a.bits == 0 || b.bits == 0) return a.bits == 0 ? b : a;
  return {merged(a.label, b.label), a.is_computed || b.is_computed, a.is_filled || b.is_filled,
          a.bits | b.bits};
}

const ValueFlow::Marks* ValueFlow::find(const Warp& warp, std::uint32_t reg) const {
  const std::uint64_t key = key_of(warp, reg);
  if (!filter_[filter_bit(key)]) return nullptr;
  const auto found = marks_.find(key);
  return found == marks_.end() ? nullptr : &found->second;
}

void ValueFlow::put(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, const Marks& marks) {
  const std::uint64_t key = key_of(warp, reg);
  const bool marks_any = (marks.lanes & lanes) != 0;
  if (!marks_any && !filter_[filter_bit(key)]) return;
  auto known = marks_.find(key);
  if (known == marks_.end()) {
    if (!marks_any) return;
    known = marks_.emplace(key, Marks()).first;
    filter_.set(filter_bit(key));
  }
  Marks& all = known->second;
  all.lanes &= ~lanes;
  for_lanes(lanes & marks.lanes, [&](unsigned lane) { all.set(lane, marks.marked[lane]); });
  if (all.lanes == 0) marks_.erase(known);
}

void ValueFlow::mark(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, Label label,
                     std::uint64_t bits) {
  if (reg == kNowhere) return;
  const Marks* known = find(warp, reg);
  Marks all;
  for_lanes(lanes, [&](unsigned lane) {
    all.set(lane, merged(known == nullptr ? Mark{} : known->of(lane), {label, false, false, bits}));
  });
  put(warp, reg, lanes, all);
}

void ValueFlow::use(const Warp& warp, std::uint32_t reg, std::uint32_t lanes) {
  const Marks* marks = find(warp, reg);
  if (marks == nullptr) return;
  for_lanes(lanes & marks->lanes, [&](unsigned lane) { use(marks->marked[lane]); });
}

/// `reads`: two values, kNowhere if they are no registers, and the predicate that selects.
ValueFlow::Marks ValueFlow::selected(const Warp& warp, const std::uint32_t* reads, std::uint32_t lanes) {
  const Marks *first = find(warp, reads[0]), *second = find(warp, reads[1]), *choice = find(warp, reads[2]);
  const auto predicate = *reinterpret_cast<const std::uint32_t*>(warp.file + reads[2]);
  Marks marks;
  if (first == nullptr && second == nullptr && choice == nullptr) return marks;
  for_lanes(lanes, [&](unsigned lane) {
    const Marks* from = (predicate >> lane & 1U) != 0 ? first : second;
    marks.set(lane, merged(from == nullptr ? Mark{} : from->of(lane),
                           choice == nullptr ? Mark{} : choice->of(lane)));
  });
  return marks;
}

/// The result of a lanewise step.
ValueFlow::Marks ValueFlow::computed(const Warp& warp, const Decoded& d, const FlowStep& step,
                                     const std::uint32_t* reads, std::uint32_t lanes) {
  if (step.bits == Bits::pack) return packed(warp, d, step, lanes);
  Marks marks;
  for (std::size_t i = 0; i < step.reads; ++i)
    if (const Marks* more = find(warp, reads[i]))
      for_lanes(lanes & more->lanes,
                [&](unsigned lane) { marks.set(lane, merged(marks.of(lane), more->marked[lane])); });
  if (marks.lanes == 0) return marks;
  const std::array<std::uint32_t, 4> places{d.a, d.b, d.c, d.extra};
  std::array<const Marks*, 4> own{};
  for (std::size_t i = 0; i < places.size() && step.bits != Bits::any; ++i)
    if (places[i] != kNowhere) own[i] = find(warp, places[i]);
  for_lanes(marks.lanes, [&](unsigned lane) {
    Mark mark = marks.marked[lane];
    StepOperands operands{};
    for (std::size_t i = 0; i < places.size() && step.bits != Bits::any; ++i) {
      if (places[i] == kNowhere) continue;
      operands[i].value = value_at(warp, places[i], operand_bytes(step, i), lane);
      if (own[i] != nullptr) operands[i].undefined = own[i]->of(lane).bits;
    }
    operands[0].undefined |= step.bits == Bits::any ? mark.bits : 0;
    mark.bits = undefined_bits(step, operands);
    mark.is_computed |= !moves_bits(step.bits) || moves_within_bytes(step, operands);
    mark.is_filled = fills(step) || (mark.is_filled && !joins(step.bits));
    marks.set(lane, mark);
  });
  return marks;
}

ValueFlow::Marks ValueFlow::packed(const Warp& warp, const Decoded& d, const FlowStep& step,
                                   std::uint32_t lanes) {
  const std::vector<std::uint32_t>& parts = warp.core->program().list_of(d);
  const auto part_bits = static_cast<unsigned>(8 * step.bytes / parts.size());
  Marks marks;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Marks* part = find(warp, parts[i]);
    if (part == nullptr) continue;
    for_lanes(lanes & part->lanes, [&](unsigned lane) {
      Mark one = part->marked[lane];
      one.bits = (one.bits & all_bits(part_bits / 8)) << i * part_bits;
      one.is_filled = false;
      marks.set(lane, merged(marks.of(lane), one));
    });
  }
  return marks;
}

void ValueFlow::unpack(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes) {
  const std::vector<std::uint32_t>& parts = warp.core->program().list_of(d);
  const auto part_bits = static_cast<unsigned>(8 * step.bytes / parts.size());
  const Marks* found = find(warp, d.a);
  const Marks whole = found == nullptr ? Marks() : *found;  // a part can be the register itself
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == kNowhere) continue;
    Marks marks;
    for_lanes(lanes & whole.lanes, [&](unsigned lane) {
      Mark one = whole.marked[lane];
      one.bits = one.bits >> i * part_bits & all_bits(part_bits / 8);
      marks.set(lane, one);
    });
    put(warp, parts[i], lanes, marks);
  }
}

void ValueFlow::step(const Warp& warp, const Decoded& d) {
  if (marks_.empty() && copies_.empty()) return;
  const auto index = static_cast<std::size_t>(&d - warp.core->program().code.data());
  if (index >= sites_.steps.size()) return;
  const FlowStep& step = sites_.steps[index];
  std::uint32_t lanes = warp.mask;
  if (step.guard != kNowhere) {
    use(warp, step.guard, lanes);
    if (step.is_guarded)
      lanes &=
          *reinterpret_cast<const std::uint32_t*>(warp.file + d.guard) ^ (d.guard_negated ? kFullMask : 0);
  }
  const std::uint32_t* reads = sites_.step_registers.data() + step.first;
  Marks marks;
  switch (step.kind) {
    case FlowStep::Kind::lanewise:
      if (step.bits == Bits::unpack) return unpack(warp, d, step, lanes);
      marks = computed(warp, d, step, reads, lanes);
      break;
    case FlowStep::Kind::select:
      marks = selected(warp, reads, lanes);
      break;
    case FlowStep::Kind::shuffle:
      return;
    case FlowStep::Kind::load:
      return load(warp, d, step, lanes);
    case FlowStep::Kind::store:
      return store(warp, d, step, lanes);
    case FlowStep::Kind::untracked:
      move_untracked(warp, step, lanes);
      break;
    case FlowStep::Kind::use:
      for (std::size_t i = 0; i < step.reads; ++i) use(warp, reads[i], lanes);
      break;
  }
  for (std::size_t i = 0; i < step.writes; ++i) put(warp, reads[step.reads + i], lanes, marks);
}

void ValueFlow::shuffle(const Warp& warp, std::uint32_t to, std::uint32_t from,
                        const std::array<int, kWarpLanes>& source, std::uint32_t absent) {
  Marks marks;
  if (const Marks* values = find(warp, from))
    for_lanes(warp.mask & ~absent,
              [&](unsigned lane) { marks.set(lane, values->of(static_cast<unsigned>(source[lane]))); });
  put(warp, to, warp.mask, marks);
}

}  // namespace vgpu::exec
