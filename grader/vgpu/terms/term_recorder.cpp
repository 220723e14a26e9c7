#include "vgpu/terms/term_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/flow/shuffle_source.hpp"
#include "vgpu/state/lanes.hpp"

namespace vgpu::exec {
namespace {

using Kind = Term::Kind;

constexpr std::uint32_t kWordBytes = 4;

template <class T>
double value_of(const Warp& warp, std::uint32_t place, unsigned lane) {
  return static_cast<double>(reinterpret_cast<const T*>(warp.file + place)[lane]);
}

/// Whether the constant changes nothing: x + 0, x * 1, min(x, infinity).
bool is_neutral(Kind kind, bool is_left, double value) {
  constexpr double kHuge = 1e30;  // programs begin minima with values that are larger than all others
  switch (kind) {
    case Kind::sum:
      return value == 0;
    case Kind::difference:
      return value == 0 && !is_left;
    case Kind::product:
      return value == 1;
    case Kind::quotient:
      return value == 1 && !is_left;
    case Kind::minimum:
      return value >= kHuge;
    case Kind::maximum:
      return value <= -kHuge;
    default:
      return true;  // a comparison with a constant, bits that are selected
  }
}

/// The parts of "fma.rn.f32".
bool has_part(std::string_view spelled, std::string_view part) {
  for (std::size_t at = spelled.find(part); at != std::string_view::npos; at = spelled.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool begins = at == 0 || spelled[at - 1] == '.',
               ends = end == spelled.size() || spelled[end] == '.';
    if (begins && ends) return true;
  }
  return false;
}

/// Of "cvt.rn.f16.f32 …": the first type is that of the result.
bool is_to_half(std::string_view spelled) {
  const auto at = [&](const char* type) { return spelled.substr(0, spelled.find(' ')).find(type); };
  return std::min(at(".f16"), at(".bf16")) < std::min({at(".f32"), at(".f64"), spelled.size()});
}

/// 0 or 1, of a constant of 16 bits.
double value_of_half(const Warp& warp, std::uint32_t place, unsigned lane) {
  const std::uint32_t bits = reinterpret_cast<const std::uint32_t*>(warp.file + place)[lane] & 0xFFFFU;
  constexpr std::uint32_t kSign = 0x8000, kOne = 0x3C00;
  if ((bits & ~kSign) == 0) return 0;
  return bits == kOne ? 1 : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

/// Of an operation on one value. Conversions between types that have the value, and to a type that is
/// rounded, keep it.
std::optional<Term::Function> TermRecorder::function_of(std::string_view spelled) {
  using Function = Term::Function;
  const std::string_view name = spelled.substr(0, spelled.find('.'));
  if (name == "abs") return Function::absolute;
  if (name == "neg") return Function::negated;
  if (name == "sqrt") return Function::root;
  // Lanes that vote are counted.
  if (name == "mov" || name == "cvta" || name == "popc") return std::nullopt;
  if (name != "cvt") return Function::other;
  if (has_part(spelled, "rzi")) return Function::truncated;
  if (is_to_half(spelled)) return Function::half;
  constexpr std::array kChanging{"rni", "rmi", "rpi", "sat", "s8", "u8", "s16", "u16"};
  const bool changes = std::any_of(kChanging.begin(), kChanging.end(),
                                   [&](const char* part) { return has_part(spelled, part); });
  return changes ? std::optional(Function::other) : std::nullopt;
}

TermRecorder::Operation TermRecorder::operation_of(const std::string& spelled) {
  struct Known {
    std::string_view name;
    Kind kind;
  };
  static constexpr std::array kKnown{
      Known{"add", Kind::sum},        Known{"fma", Kind::sum},     Known{"mad", Kind::sum},
      Known{"sub", Kind::difference}, Known{"mul", Kind::product}, Known{"div", Kind::quotient},
      Known{"min", Kind::minimum},    Known{"max", Kind::maximum}, Known{"setp", Kind::test},
      Known{"set", Kind::test},
  };
  static constexpr std::array<std::string_view, 10> kNotFollowed{
      "cp", "wmma", "mma", "ldmatrix", "tex", "tld4", "suld", "sust", "call", "mbarrier"};
  const std::string_view name = std::string_view(spelled).substr(0, spelled.find('.'));
  Operation operation;
  operation.function = function_of(spelled);
  for (const Known& one : kKnown)
    if (name == one.name) operation.kind = one.kind;
  // The high half of a product is part of a division by a constant.
  if (has_part(spelled, "hi") || has_part(spelled, "f16x2") || has_part(spelled, "bf16x2"))
    operation.kind = Kind::other;
  operation.is_fused = operation.kind == Kind::sum && (name == "fma" || name == "mad");
  operation.is_of_warp = name == "vote" || name == "redux";
  // A barrier that counts has a result of all warps.
  const bool counts = (name == "bar" || name == "barrier") && has_part(spelled, "red");
  operation.is_followed = std::find(kNotFollowed.begin(), kNotFollowed.end(), name) == kNotFollowed.end() &&
                          !has_part(spelled, "local") && !counts;
  for (const auto& [part, kind] :
       {Known{"add", Kind::sum}, Known{"min", Kind::minimum}, Known{"max", Kind::maximum}})
    if ((name == "atom" || name == "red" || name == "redux") && has_part(spelled, part))
      operation.kind = kind;
  if (name == "vote") operation.kind = Kind::sum;  // counted, most of the time
  for (const auto& [part, type] : {std::pair{"f16", Type::f16},
                                   {"f32", Type::f32},
                                   {"f64", Type::f64},
                                   {"s32", Type::s32},
                                   {"u32", Type::u32},
                                   {"s64", Type::s64},
                                   {"u64", Type::s64}})
    if (has_part(spelled, part)) operation.type = type;
  return operation;
}

TermRecorder::TermRecorder(const Program& program, TermMemory& memory) : program_(program), memory_(memory) {
  operations_.reserve(program.code.size());
  for (const Decoded& d : program.code)
    operations_.push_back(operation_of(program.origins[d.origin].spelled));
}

void TermRecorder::begin_block(const Core& core) {
  registers_.assign(core.warps.size(), {});
  shared_.clear();
  stored_ = {};
}

const TermRecorder::Lanes* TermRecorder::find(const Warp& warp, std::uint32_t place) const {
  const auto& known = registers_[warp.index];
  const auto found = known.find(place);
  return found == known.end() ? nullptr : &found->second;
}

void TermRecorder::put(const Warp& warp, std::uint32_t place, std::uint32_t lanes, const Lanes& terms) {
  if (place == kNowhere) return;
  auto& known = registers_[warp.index];
  const auto found = known.find(place);
  if (found == known.end()) {
    if (terms == Lanes{}) return;
    Lanes& fresh = known[place];
    for_lanes(lanes, [&](unsigned lane) { fresh[lane] = terms[lane]; });
    return;
  }
  for_lanes(lanes, [&](unsigned lane) { found->second[lane] = terms[lane]; });
  if (found->second == Lanes{}) known.erase(found);
}

TermId TermRecorder::combined(Kind kind, TermId left, double left_value, TermId right, double right_value) {
  if (left == 0 && right == 0) return 0;
  const bool is_zero = kind == Kind::product && (left == 0 ? left_value : right_value) == 0;
  if (is_zero && (left == 0 || right == 0)) return 0;  // the padding of a tile
  if (left == 0) {
    if (is_neutral(kind, true, left_value)) return right;
    left = memory_.constant(left_value);
  } else if (right == 0) {
    if (is_neutral(kind, false, right_value)) return left;
    right = memory_.constant(right_value);
  }
  return memory_.combined(kind, left, right);
}

TermRecorder::Lanes TermRecorder::combined(const Warp& warp, const Operation& operation, Kind kind,
                                           std::uint32_t left, std::uint32_t right, std::uint32_t lanes) {
  Lanes terms{};
  const Lanes *of_left = find(warp, left), *of_right = find(warp, right);
  if (of_left == nullptr && of_right == nullptr) return terms;
  const auto value = [&](std::uint32_t place, unsigned lane) {
    switch (operation.type) {
      case Type::f32:
        return value_of<float>(warp, place, lane);
      case Type::f64:
        return value_of<double>(warp, place, lane);
      case Type::s32:
        return value_of<std::int32_t>(warp, place, lane);
      case Type::u32:
        return value_of<std::uint32_t>(warp, place, lane);
      case Type::s64:
        return value_of<std::int64_t>(warp, place, lane);
      case Type::f16:
        return value_of_half(warp, place, lane);
      case Type::other:
        break;
    }
    return std::numeric_limits<double>::quiet_NaN();
  };
  for_lanes(lanes, [&](unsigned lane) {
    const TermId a = of_left == nullptr ? 0 : (*of_left)[lane],
                 b = of_right == nullptr ? 0 : (*of_right)[lane];
    if (a != 0 || b != 0)
      terms[lane] = combined(kind, a, a == 0 ? value(left, lane) : 0, b, b == 0 ? value(right, lane) : 0);
  });
  return terms;
}

/// The result of a lanewise step.
TermRecorder::Lanes TermRecorder::computed(const Warp& warp, const Decoded& d, const Operation& operation,
                                           const FlowStep& step, std::uint32_t lanes) {
  const std::uint32_t* reads = program_.checked.step_registers.data() + step.first;
  const auto has_terms = [&](std::uint32_t place) { return find(warp, place) != nullptr; };
  if (std::none_of(reads, reads + step.reads, has_terms)) return {};
  if (operation.is_fused) {
    const Lanes products = combined(warp, operation, Kind::product, d.a, d.b, lanes);
    const Lanes* added = find(warp, d.c);
    Lanes sums{};
    for_lanes(lanes, [&](unsigned lane) {
      const TermId more = added == nullptr ? 0 : (*added)[lane];
      const auto number = [&](std::uint32_t place) { return value_of<float>(warp, place, lane); };
      const bool is_float = operation.type == Type::f32;
      const double product = is_float ? number(d.a) * number(d.b) : 0, constant = is_float ? number(d.c) : 0;
      sums[lane] = combined(Kind::sum, products[lane], product, more, constant);
    });
    return sums;
  }
  if (operation.kind == Kind::test) return tested(warp, reads, step.reads, lanes);
  if (operation.kind != Kind::other) return combined(warp, operation, operation.kind, d.a, d.b, lanes);
  Lanes all{};
  std::array<unsigned, kWarpLanes> count{};
  for (std::size_t i = 0; i < step.reads; ++i) {
    const Lanes* more = find(warp, reads[i]);
    if (more == nullptr) continue;
    for_lanes(lanes, [&](unsigned lane) {
      all[lane] = combined(Kind::other, all[lane], 0, (*more)[lane], 0);
      count[lane] += (*more)[lane] != 0 ? 1 : 0;
    });
  }
  for_lanes(lanes, [&](unsigned lane) {
    if (count[lane] == 1) all[lane] = applied(operation, all[lane]);
  });
  return all;
}

/// The bits of a vote are selected and counted: that remains a sum of tests. The latest term of a sum is its
/// right one; sums can be long.
TermId TermRecorder::applied(const Operation& operation, TermId operand) {
  if (!operation.function) return operand;
  const auto& nodes = memory_.terms().nodes;
  TermId latest = operand;
  for (int sums = 0; sums < 4 && nodes[latest].kind == Kind::sum; ++sums) latest = nodes[latest].right;
  if (nodes[latest].kind == Kind::test) return operand;
  return memory_.applied(*operation.function, operand);
}

/// Of a comparison, whose operands can be predicates, too.
TermRecorder::Lanes TermRecorder::tested(const Warp& warp, const std::uint32_t* reads, std::size_t count,
                                         std::uint32_t lanes) {
  Lanes tests{};
  for_lanes(lanes, [&](unsigned lane) {
    std::array<TermId, 2> operands{};
    std::size_t known = 0;
    for (std::size_t i = 0; i < count && known < operands.size(); ++i) {
      const Lanes* terms = find(warp, reads[i]);
      if (terms != nullptr && (*terms)[lane] != 0) operands[known++] = (*terms)[lane];
    }
    if (known != 0) tests[lane] = memory_.combined(Kind::test, operands[0], operands[1]);
  });
  return tests;
}

/// The same in all lanes: of what they all bring.
TermRecorder::Lanes TermRecorder::of_warp(const Warp& warp, const Operation& operation, const FlowStep& step,
                                          std::uint32_t lanes) {
  const std::uint32_t* reads = program_.checked.step_registers.data() + step.first;
  TermId all = 0;
  for (std::size_t i = 0; i < step.reads; ++i)
    if (const Lanes* terms = find(warp, reads[i]))
      for_lanes(lanes, [&](unsigned lane) {
        const TermId one = (*terms)[lane];
        if (one != 0) all = all == 0 ? one : memory_.combined(operation.kind, all, one);
      });
  Lanes result{};
  for_lanes(lanes, [&](unsigned lane) { result[lane] = all; });
  return result;
}

/// The value that is chosen; of two constants, what chooses.
TermRecorder::Lanes TermRecorder::selected(const Warp& warp, const FlowStep& step,
                                           std::uint32_t lanes) const {
  const std::uint32_t* reads = program_.checked.step_registers.data() + step.first;
  const Lanes *first = find(warp, reads[0]), *second = find(warp, reads[1]), *choice = find(warp, reads[2]);
  const auto predicate = *reinterpret_cast<const std::uint32_t*>(warp.file + reads[2]);
  Lanes terms{};
  for_lanes(lanes, [&](unsigned lane) {
    const Lanes* from = (predicate >> lane & 1U) != 0 ? first : second;
    terms[lane] = from != nullptr ? (*from)[lane] : 0;
    if (terms[lane] == 0 && choice != nullptr) terms[lane] = (*choice)[lane];
  });
  return terms;
}

void TermRecorder::shuffle(const Warp& warp, const Decoded& d, std::uint32_t lanes) {
  const std::string& spelled = program_.origins[d.origin].spelled;
  const Shuffle mode = has_part(spelled, "up")     ? Shuffle::up
                       : has_part(spelled, "down") ? Shuffle::down
                       : has_part(spelled, "bfly") ? Shuffle::butterfly
                                                   : Shuffle::index;
  Lanes terms{};
  if (const Lanes* from = find(warp, d.a)) {
    const auto operand = [&](std::uint32_t place, unsigned lane) {
      return reinterpret_cast<const std::uint32_t*>(warp.file + place)[lane];
    };
    for_lanes(lanes, [&](unsigned lane) {
      const Source source = source_of(mode, static_cast<int>(lane), operand(d.b, lane), operand(d.c, lane));
      terms[lane] = (*from)[static_cast<unsigned>(source.lane)];
    });
  }
  put(warp, d.dst, lanes, terms);
}

/// Of a generic address.
TermId TermRecorder::loaded(const Warp& warp, std::uint64_t address) {
  if (address - kSharedWindow < kWindowBytes) {
    const auto known = shared_.find(address);
    return known == shared_.end() ? 0 : known->second;
  }
  if (address - kLocalWindow < kWindowBytes || address - kParameterWindow < kWindowBytes) {
    memory_.give_up();
    return 0;
  }
  if (const auto own = stored_.words.find(address); own != stored_.words.end()) return own->second;
  std::uint32_t bits = 0;
  if (const std::byte* word = warp.core->memory->host(address, sizeof bits))
    std::memcpy(&bits, word, sizeof bits);
  return memory_.at(address, bits);
}

void TermRecorder::load(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes) {
  const AccessSite& site = program_.checked.by_code[static_cast<std::size_t>(&d - program_.code.data())];
  const Addresses addresses = BlockChecker::addresses_of(warp, d, site);
  const std::uint64_t window = site.space == ptx::Space::shared ? kSharedWindow : 0;
  const std::uint32_t* results = program_.checked.step_registers.data() + step.first + 1;
  for (std::uint32_t i = 0; i < step.writes; ++i) {
    Lanes terms{};
    for_lanes(lanes, [&](unsigned lane) {
      terms[lane] = loaded(warp, window + addresses[lane] + std::uint64_t{i} * site.element_bytes);
    });
    put(warp, results[i], lanes, terms);
  }
}

void TermRecorder::store(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes) {
  const AccessSite& site = program_.checked.by_code[static_cast<std::size_t>(&d - program_.code.data())];
  const Addresses addresses = BlockChecker::addresses_of(warp, d, site);
  const std::uint64_t window = site.space == ptx::Space::shared ? kSharedWindow : 0;
  const std::uint32_t* values = program_.checked.step_registers.data() + step.first;
  for (std::uint32_t i = 1; i < step.reads; ++i) {
    const Lanes* terms = find(warp, values[i]);
    for_lanes(lanes, [&](unsigned lane) {
      const std::uint64_t address = window + addresses[lane] + std::uint64_t{i - 1} * site.element_bytes;
      const TermId term = terms == nullptr ? 0 : (*terms)[lane];
      if (address - kLocalWindow < kWindowBytes) return memory_.give_up();
      (address - kSharedWindow < kWindowBytes ? shared_ : stored_.words)[address] = term;
    });
  }
}

/// An atomic operation: what it returns is not followed.
void TermRecorder::update(const Warp& warp, const Decoded& d, const FlowStep& step, std::uint32_t lanes) {
  const auto index = static_cast<std::size_t>(&d - program_.code.data());
  const AccessSite& site = program_.checked.by_code[index];
  const Addresses addresses = BlockChecker::addresses_of(warp, d, site);
  const std::uint64_t window = site.space == ptx::Space::shared ? kSharedWindow : 0;
  const Lanes* terms = find(warp, d.b);
  const Kind kind = operations_[index].kind;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t address = window + addresses[lane];
    const TermId term = terms == nullptr ? 0 : (*terms)[lane];
    if (address - kSharedWindow >= kWindowBytes) return stored_.updates.push_back({address, kind, term});
    TermId& word = shared_[address];
    word = combined(kind, word, 0, term, 0);
  });
  for (std::uint32_t i = 0; i < step.writes; ++i)
    put(warp, program_.checked.step_registers[step.first + step.reads + i], lanes, {});
}

void TermRecorder::step(Warp& warp, const Decoded& d) {
  const auto index = static_cast<std::size_t>(&d - program_.code.data());
  if (d.counted_as == kUncountedClass || index >= program_.checked.steps.size()) return;
  if (!memory_.terms().is_complete) return;
  const Operation& operation = operations_[index];
  if (!operation.is_followed) return memory_.give_up();
  const FlowStep& step = program_.checked.steps[index];
  const std::uint32_t lanes = executing_lanes(warp, d);
  const auto& sites = program_.checked.by_code;
  if (index < sites.size() && sites[index].run != nullptr && sites[index].is_atomic)
    return update(warp, d, step, lanes);
  Lanes terms{};
  switch (step.kind) {
    case FlowStep::Kind::load:
      return load(warp, d, step, lanes);
    case FlowStep::Kind::store:
      return store(warp, d, step, lanes);
    case FlowStep::Kind::shuffle:
      return shuffle(warp, d, lanes);
    case FlowStep::Kind::select:
      terms = selected(warp, step, lanes);
      break;
    case FlowStep::Kind::lanewise:
      terms = computed(warp, d, operation, step, lanes);
      break;
    case FlowStep::Kind::use:
      terms = operation.is_of_warp ? of_warp(warp, operation, step, lanes)
                                   : computed(warp, d, operation, step, lanes);
      break;
    case FlowStep::Kind::untracked:
      break;
  }
  for (std::size_t i = 0; i < step.writes; ++i)
    put(warp, program_.checked.step_registers[step.first + step.reads + i], lanes, terms);
}

}  // namespace vgpu::exec
