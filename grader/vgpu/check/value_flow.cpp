#include "vgpu/check/value_flow.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace vgpu::exec {

void ValueFlow::begin_block() {
  marks_.clear();
  same_.assign(1, 0);
  is_used_.assign(1, false);
}

ValueFlow::Label ValueFlow::add_label() {
  constexpr std::size_t kMost = std::numeric_limits<Label>::max();
  if (same_.size() < kMost) {
    same_.push_back(static_cast<Label>(same_.size()));
    is_used_.push_back(false);
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
  return older;
}

const ValueFlow::Labels* ValueFlow::find(const Warp& warp, std::uint32_t reg) const {
  const auto found = marks_.find(key_of(warp, reg));
  return found == marks_.end() ? nullptr : &found->second;
}

void ValueFlow::put(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, const Labels& labels) {
  const std::uint64_t key = key_of(warp, reg);
  const bool is_ordinary = labels == Labels{};
  auto known = marks_.find(key);
  if (known == marks_.end()) {
    if (is_ordinary) return;
    known = marks_.emplace(key, Labels{}).first;
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    known->second[lane] = labels[lane];
  }
  if (known->second == Labels{}) marks_.erase(known);
}

void ValueFlow::mark(const Warp& warp, std::uint32_t reg, std::uint32_t lanes, Label label) {
  Labels labels{};
  labels.fill(label);
  put(warp, reg, lanes, labels);
}

void ValueFlow::use(const Warp& warp, std::uint32_t reg, std::uint32_t lanes) {
  const Labels* labels = find(warp, reg);
  if (labels == nullptr) return;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    is_used_[root((*labels)[static_cast<unsigned>(std::countr_zero(rest))])] = true;
  is_used_[0] = false;
}

/// `reads`: two values, kNowhere if they are no registers, and the predicate that selects.
ValueFlow::Labels ValueFlow::selected(const Warp& warp, const std::uint32_t* reads) {
  const Labels *first = find(warp, reads[0]), *second = find(warp, reads[1]), *choice = find(warp, reads[2]);
  const auto predicate = *reinterpret_cast<const std::uint32_t*>(warp.file + reads[2]);
  Labels labels{};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    const Labels* from = (predicate >> lane & 1U) != 0 ? first : second;
    labels[lane] =
        merged(from == nullptr ? Label{0} : (*from)[lane], choice == nullptr ? Label{0} : (*choice)[lane]);
  }
  return labels;
}

void ValueFlow::step(const Warp& warp, const Decoded& d) {
  if (marks_.empty()) return;
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
  const std::uint32_t* registers = sites_.step_registers.data() + step.first;
  const std::span<const std::uint32_t> reads(registers, step.reads);
  const std::span<const std::uint32_t> writes(registers + step.reads, step.writes);
  Labels labels{};
  switch (step.kind) {
    case FlowStep::Kind::lanewise:
      for (const std::uint32_t reg : reads) {
        const Labels* more = find(warp, reg);
        for (unsigned lane = 0; more != nullptr && lane < kWarpLanes; ++lane)
          labels[lane] = merged(labels[lane], (*more)[lane]);
      }
      break;
    case FlowStep::Kind::select:
      labels = selected(warp, registers);
      break;
    case FlowStep::Kind::shuffle:
      return;
    case FlowStep::Kind::use:
      for (const std::uint32_t reg : reads) use(warp, reg, lanes);
      break;
  }
  for (const std::uint32_t reg : writes) put(warp, reg, lanes, labels);
}

void ValueFlow::shuffle(const Warp& warp, std::uint32_t to, std::uint32_t from,
                        const std::array<int, kWarpLanes>& source) {
  Labels labels{};
  if (const Labels* values = find(warp, from))
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      labels[lane] = (*values)[static_cast<unsigned>(source[lane])];
  put(warp, to, warp.mask, labels);
}

}  // namespace vgpu::exec
