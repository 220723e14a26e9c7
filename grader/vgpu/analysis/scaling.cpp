#include "vgpu/analysis/scaling.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "vgpu/analysis/rewriting.hpp"

namespace vgpu::exec {
namespace {

using ptx::Opcode;
using ptx::Operand;

// IEEE 754: bits 23 to 30 of a float are the exponent.
constexpr std::uint64_t kExponentBit = 23;
constexpr std::uint64_t kHalfBit = 22;  // set in 1.5 to 2 times a power of two
// A thread's power of two is 2^-16 to 2^15, or 2^-31 to 1 for values below 1, from the upper five bits of a
// product with 2^32 / golden ratio (Knuth, The Art of Computer Programming 3, 6.4), so that neighbours have
// different ones.
constexpr std::uint64_t kGolden = 0x9E3779B1, kUpperFive = 27, kHalfOfPowers = 16, kGreatestPower = 31;
constexpr std::uint64_t kRowOfThreads = 1031, kPlaneOfThreads = 2053;  // primes

/// The exponents of values that are scaled. Whatever was scaled at a store is a float for the load.
struct Window {
  std::uint64_t least, count;
};
constexpr Window kStored{96, 64}, kLoaded{64, 127};
// The exponent of 1 is 127.
constexpr Window kStoredBelow1{96, 31}, kLoadedBelow1{64, 63};

bool is_below_1(Scaled scaled) {
  return scaled == Scaled::shared_memory_below_1 || scaled == Scaled::exchanges_below_1 ||
         scaled == Scaled::constant_loads_below_1 || scaled == Scaled::shared_loads_below_1;
}

/// Without the restriction to values below 1.
Scaled way_of(Scaled scaled) {
  if (scaled == Scaled::shared_memory_below_1) return Scaled::shared_memory;
  if (scaled == Scaled::exchanges_below_1) return Scaled::exchanges;
  if (scaled == Scaled::constant_loads_below_1) return Scaled::constant_loads;
  if (scaled == Scaled::shared_loads_below_1) return Scaled::shared_loads;
  return scaled;
}

std::size_t element_bytes(const ptx::Instruction& instruction) {
  const auto type = ptx::type_named(instruction.modifiers.back());
  return type ? ptx::size_of(*type) : 0;
}

/// The elements of a vector, or the operand itself.
std::vector<Operand*> elements_of(Operand& operand) {
  auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr) return {&operand};
  std::vector<Operand*> all;
  for (Operand& one : vector->elements) all.push_back(&one);
  return all;
}

/// Rewrites one function, which gets more registers.
class Scaling : public Rewriting {
 public:
  Scaling(ptx::Function& function, Scaled scaled)
      : Rewriting(function), scaled_(way_of(scaled)), is_below_1_(is_below_1(scaled)) {}

 private:
  void begin() override {
    if (scaled_ == Scaled::shared_memory || scaled_ == Scaled::exchanges) choose_power();
    if (scaled_ == Scaled::shared_loads) find_name();
  }

  static constexpr std::uint8_t kMaxElements = 4;
  enum Temporary : std::uint8_t {
    kPower,
    kInverse,
    kFactor,
    kFactorOfLow,
    kLow,
    kHigh,
    kName,
    kFactorBeforeSparing,
    kMarkedLow,
    kMarkedHigh,
    kSharing,
    kPlace,
    kBitsOfWord,
    kWords,
    kPair = kWords + kMaxElements,
    kLongPlace,
    kPairs,
    kMayStore = kPairs + kMaxElements,
    kWindow,
    kTemporaries
  };

  /// kPower becomes the thread's power of two, as a number to add to the bits of a float; kInverse its
  /// inverse.
  void choose_power() {
    const Operand power = temporary(kPower), factor = temporary(kFactor), inverse = temporary(kInverse);
    const auto tid = [](char component) { return Operand{ptx::SpecialRegister{"tid", component}}; };
    emit(Opcode::mov, {"u32"}, {power, tid('x')});
    emit(Opcode::mov, {"u32"}, {factor, tid('y')});
    emit(Opcode::mad, {"lo", "u32"}, {power, factor, number(kRowOfThreads), power});
    emit(Opcode::mov, {"u32"}, {factor, tid('z')});
    emit(Opcode::mad, {"lo", "u32"}, {power, factor, number(kPlaneOfThreads), power});
    emit(Opcode::mul, {"lo", "u32"}, {power, power, number(kGolden)});
    emit(Opcode::shr, {"u32"}, {power, power, number(kUpperFive)});
    emit(Opcode::sub, {"u32"}, {power, power, number(is_below_1_ ? kGreatestPower : kHalfOfPowers)});
    emit(Opcode::shl, {"b32"}, {power, power, number(kExponentBit)});
    emit(Opcode::sub, {"u32"}, {inverse, number(0), power});
  }

  /// kName becomes the thread's number within its block.
  void find_name() {
    const Operand name = temporary(kName), factor = temporary(kFactor);
    const auto special = [](const char* which, char component) {
      return Operand{ptx::SpecialRegister{which, component}};
    };
    emit(Opcode::mov, {"u32"}, {name, special("tid", 'z')});
    for (const char component : {'y', 'x'}) {
      emit(Opcode::mov, {"u32"}, {factor, special("ntid", component)});
      emit(Opcode::mul, {"lo", "u32"}, {name, name, factor});
      emit(Opcode::mov, {"u32"}, {factor, special("tid", component)});
      emit(Opcode::add, {"u32"}, {name, name, factor});
    }
  }

  void follow(ptx::Instruction instruction) override {
    const bool is_load = instruction.opcode == Opcode::ld, is_store = instruction.opcode == Opcode::st;
    const std::size_t operands = instruction.operands.size();
    window_.reset();
    spares_own_ = is_load && scaled_ == Scaled::shared_loads;
    if (scaled_ == Scaled::exchanges && instruction.opcode == Opcode::shfl && operands > 1) {
      scale_sources(instruction.operands[1], 4);
      Operand destination{instruction.operands[0].value};
      keep(std::move(instruction));
      scale_loaded(destination, 4, temporary(kInverse));
    } else if ((scaled_ == Scaled::shared_memory || scaled_ == Scaled::shared_loads) && is_store &&
               operands > 1 && reaches(instruction, instruction.operands[0], "shared")) {
      scale_sources(instruction.operands[1], element_bytes(instruction));
      keep(std::move(instruction));
    } else if (is_load && operands > 1 && scaled_ != Scaled::exchanges &&
               reaches(instruction, instruction.operands[1],
                       scaled_ == Scaled::constant_loads ? "const" : "shared")) {
      Operand destination{instruction.operands[0].value};
      const std::size_t bytes = element_bytes(instruction);
      if (spares_own_) find_lanes_that_share(instruction.operands[1]);
      keep(std::move(instruction));
      scale_loaded(
          destination, bytes,
          scaled_ == Scaled::shared_memory ? temporary(kInverse) : number(std::uint64_t{1} << kExponentBit));
      if (spares_own_ && marked_.size() == elements_of(destination).size()) store_marked(bytes);
    } else {
      keep(std::move(instruction));
    }
  }

  /// kSharing becomes 0 if no other lane loads from the same place now. Keeps the place: the load can write
  /// its register.
  void find_lanes_that_share(const Operand& where) {
    place_ = std::get<ptx::Address>(where.value);
    const auto* base = std::get_if<ptx::Register>(&place_.base);
    const bool is_long = base != nullptr && ptx::size_of(type_of(*base)) == 8;
    const Operand kept = temporary(is_long ? kLongPlace : kPlace);
    const char* const type = is_long ? "b64" : "b32";
    emit(Opcode::mov, {type}, {kept, base != nullptr ? Operand{*base} : number(0)});
    emit_step("(sharing)", type, {temporary(kSharing), kept}, current().guard);
    if (base != nullptr) place_.base = std::get<ptx::Register>(kept.value);
  }

  /// Puts the loaded words back, with the marks of the thread that loaded them.
  void store_marked(std::size_t bytes) {
    std::vector<std::string> modifiers;
    if (!window_) modifiers.emplace_back("shared");
    if (marked_.size() > 1) modifiers.push_back("v" + std::to_string(marked_.size()));
    modifiers.emplace_back(bytes == 4 ? "b32" : "b64");
    const Operand value = marked_.size() > 1 ? Operand{ptx::Vector{marked_}} : marked_.front();
    std::optional<ptx::Guard> guard = current().guard;
    if (window_) {
      const Operand allowed = temporary(kMayStore);
      emit(Opcode::mov, {"pred"}, {allowed, *window_});
      if (guard) emit(Opcode::and_, {"pred"}, {allowed, allowed, {guard->predicate, guard->negated}});
      guard = ptx::Guard{std::get<ptx::Register>(allowed.value)};
    }
    emit(Opcode::st, std::move(modifiers), {{place_}, value}, guard);
  }

  /// Whether an access can be to the space. Generic addresses show it only when the kernel runs: kWindow.
  bool reaches(const ptx::Instruction& access, const Operand& where, const char* space) {
    if (is_for_space(access, space)) return true;
    for (const char* other : {"shared", "const", "global", "local", "param"})
      if (is_for_space(access, other)) return false;
    const auto* address = std::get_if<ptx::Address>(&where.value);
    const auto* base = address == nullptr ? nullptr : std::get_if<ptx::Register>(&address->base);
    if (base == nullptr) return false;
    emit(Opcode::isspacep, {space}, {temporary(kWindow), {*base}});
    window_ = temporary(kWindow);
    return true;
  }

  void scale_loaded(Operand& destination, std::size_t bytes, const Operand& by) {
    marked_.clear();
    for (Operand* one : elements_of(destination)) {
      const auto* into = std::get_if<ptx::Register>(&one->value);
      if (into == nullptr) continue;
      const Operand place{*into};
      const Window window = is_below_1_ ? kLoadedBelow1 : kLoaded;
      const bool is_widened = ptx::size_of(type_of(*into)) > bytes;
      if (bytes == 4 && is_widened) scale_low(place, window, by);
      if (bytes == 4 && !is_widened) scale(place, place, window, by, current().guard);
      if (bytes == 8) scale_pair(place, place, window, by, current().guard);
    }
  }

  /// Replaces the operand by scaled copies.
  void scale_sources(Operand& source, std::size_t bytes) {
    std::uint8_t next = 0;
    for (Operand* one : elements_of(source)) {
      if (next == kMaxElements || (bytes != 4 && bytes != 8)) return;
      const Operand copy = temporary(static_cast<Temporary>((bytes == 4 ? kWords : kPairs) + next++));
      const Window window = is_below_1_ ? kStoredBelow1 : kStored;
      if (scaled_ == Scaled::shared_loads) {
        sign(copy, *one, window, bytes);
      } else {
        if (bytes == 4) scale(copy, *one, window, temporary(kPower), {});
        if (bytes == 8) scale_pair(copy, *one, window, temporary(kPower), {});
      }
      *one = copy;
    }
  }

  /// `to` becomes `from`; floats in the window get the thread's name into their lowest bits.
  void sign(const Operand& to, const Operand& from, Window window, std::size_t bytes) {
    const Operand low = temporary(kLow), high = temporary(kHigh), halves{ptx::Vector{{low, high}}};
    emit(Opcode::mov, {bytes == 4 ? "b32" : "b64"}, {to, from});
    if (bytes == 4) return sign_word(to, window);
    emit(Opcode::mov, {"b64"}, {halves, to});
    sign_word(low, window);
    sign_word(high, window);
    emit(Opcode::mov, {"b64"}, {to, halves});
  }

  void sign_word(const Operand& word, Window window) {
    emit_step("(signed)", "b32", {word, word, temporary(kName), number(window.least), number(window.count)});
  }

  /// `factor` becomes `by`, which is to be added to the word's bits, or 0 if it is no float in the window.
  void find_factor(const Operand& factor, const Operand& word, Window window, const Operand& by) {
    emit_step("(change)", "b32", {factor, word, by, number(window.least), number(window.count)});
    if (window_) emit(Opcode::selp, {"b32"}, {factor, factor, number(0), *window_});
    if (scaled_ == Scaled::constant_loads) {
      const Operand bit = temporary(kBitsOfWord);
      emit(Opcode::bfe, {"u32"}, {bit, word, number(kHalfBit), number(1)});
      emit(Opcode::shl, {"b32"}, {factor, factor, bit});
    }
    if (spares_own_) spare_own_and_first(factor, word);
  }

  /// `factor` becomes 0 if the word is the thread's own, or if no other thread has loaded it.
  void spare_own_and_first(const Operand& factor, const Operand& word) {
    const Operand before = temporary(kFactorBeforeSparing);
    emit(Opcode::mov, {"b32"}, {before, factor});
    emit_step("(shared)", "b32", {factor, word, temporary(kName), temporary(kSharing), before});
  }

  /// `to` becomes the word with the mark of the thread that loads it, after find_factor().
  void mark(const Operand& to, const Operand& word) {
    emit_step("(marked)", "b32", {to, word, temporary(kName), temporary(kFactorBeforeSparing)});
  }

  Operand next_marked(Temporary first) {
    const auto index = static_cast<std::uint8_t>(std::min<std::size_t>(marked_.size(), kMaxElements - 1));
    marked_.push_back(temporary(static_cast<Temporary>(first + index)));
    return marked_.back();
  }

  void scale(const Operand& to, const Operand& from, Window window, const Operand& by,
             const std::optional<ptx::Guard>& guard) {
    const Operand word = temporary(kLow), factor = temporary(kFactor);
    emit(Opcode::mov, {"b32"}, {word, from});
    find_factor(factor, word, window, by);
    if (spares_own_) mark(next_marked(kWords), word);
    emit(Opcode::add, {"u32"}, {to, word, factor}, guard);
  }

  /// The lower half of a register of 64 bits, which got a word. Its sign stays as it is.
  void scale_low(const Operand& place, Window window, const Operand& by) {
    const Operand low = temporary(kLow);
    const Operand halves{ptx::Vector{{low, temporary(kHigh)}}};
    emit(Opcode::mov, {"b64"}, {halves, place});
    scale(low, low, window, by, {});
    emit(Opcode::mov, {"b64"}, {place, halves}, current().guard);
  }

  /// Two floats, or a double. Whether they are is decided by the upper one, which of an address is 0 or
  /// small.
  void scale_pair(const Operand& to, const Operand& from, Window window, const Operand& by,
                  const std::optional<ptx::Guard>& guard) {
    const Operand low = temporary(kLow), high = temporary(kHigh), factor = temporary(kFactor),
                  of_low = temporary(kFactorOfLow);
    const Operand halves{ptx::Vector{{low, high}}};
    emit(Opcode::mov, {"b64"}, {temporary(kPair), from});
    emit(Opcode::mov, {"b64"}, {halves, temporary(kPair)});
    const Operand marked_low = temporary(kMarkedLow), marked_high = temporary(kMarkedHigh);
    find_factor(factor, high, window, by);
    if (spares_own_) mark(marked_high, high);
    find_factor(of_low, low, window, spares_own_ ? temporary(kFactorBeforeSparing) : factor);
    if (spares_own_) {
      mark(marked_low, low);
      emit(Opcode::mov, {"b64"}, {next_marked(kPairs), {ptx::Vector{{marked_low, marked_high}}}});
    }
    emit(Opcode::add, {"u32"}, {high, high, factor});
    emit(Opcode::add, {"u32"}, {low, low, of_low});
    emit(Opcode::mov, {"b64"}, {to, halves}, guard);
  }

  Operand temporary(Temporary which) {
    for (auto i = static_cast<std::uint8_t>(temporaries_.size()); i < kTemporaries; ++i)
      temporaries_.push_back(add_register(i < kPair       ? ptx::Type::b32
                                          : i < kMayStore ? ptx::Type::b64
                                                          : ptx::Type::pred));
    return temporaries_[which];
  }

  Scaled scaled_;
  bool is_below_1_;
  std::vector<Operand> temporaries_;
  bool spares_own_ = false;        ///< whether words with the thread's own name stay as they are
  ptx::Address place_;             ///< of the current load, if it spares own words
  std::vector<Operand> marked_;    ///< its words, with marks
  std::optional<Operand> window_;  ///< whether the current access is to the space, if only the kernel knows
};

bool is_concerned(const ptx::Instruction& instruction) {
  return instruction.opcode == Opcode::ld || instruction.opcode == Opcode::st ||
         instruction.opcode == Opcode::shfl;
}

}  // namespace

void scale_values(ptx::Module& module, Scaled scaled) {
  constexpr std::array kOthers{Scaled::active_masks, Scaled::block_order, Scaled::block_turns, Scaled::votes};
  const bool is_other = std::find(kOthers.begin(), kOthers.end(), scaled) != kOthers.end();
  if (scaled == Scaled::nothing || is_other) return;
  for (ptx::Function& function : module.functions)
    if (std::any_of(function.code.begin(), function.code.end(), is_concerned))
      Scaling(function, scaled).run();
}

}  // namespace vgpu::exec
