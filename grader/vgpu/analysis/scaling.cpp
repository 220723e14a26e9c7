#include "vgpu/analysis/scaling.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace vgpu::exec {
namespace {

using ptx::Opcode;
using ptx::Operand;

// IEEE 754: bits 23 to 30 of a float are the exponent.
constexpr std::uint64_t kExponentBit = 23, kExponentBits = 8;
constexpr std::uint64_t kFractionBits = 0x7FFFFF;
constexpr std::uint64_t kHalfBit = 22;  // set in 1.5 to 2 times a power of two
// A thread's power of two is 2^-16 to 2^15, or 2^-31 to 1 for values below 1, from the upper five bits of a
// product with 2^32 / golden ratio (Knuth, The Art of Computer Programming 3, 6.4), so that neighbours have
// different ones.
constexpr std::uint64_t kGolden = 0x9E3779B1, kUpperFive = 27, kHalfOfPowers = 16, kGreatestPower = 31;
constexpr std::uint64_t kRowOfThreads = 1031, kPlaneOfThreads = 2053;  // primes

// A block has at most 1,024 threads (CUDA C++ Programming Guide, Compute Capabilities), so ten bits name one.
// The next bits are set when another thread has loaded the float: four of its name, which most others do not
// share, and one that is 1. All these, the lowest bits of a float, change it by less than 2^-8 of its value.
constexpr std::uint64_t kNameBits = 0x3FF, kReaderAt = 10, kUpperFour = 28, kWasRead = 0x4000;
constexpr std::uint64_t kReaderBits = 0x7C00, kOtherBits = 0xFFFFFFFF - kReaderBits - kNameBits;

constexpr std::uint64_t kLanesOfHalf = 16,
                        kHalfWarp = 0xFFFF;  // 16 is also the bit that the lanes of a half share

// A thread gives way this many times at one place: threads that repeat an operation until it succeeds would
// need a time that is quadratic in their number. A register counts for 16 places.
constexpr std::uint64_t kTurns = 2, kBitsOfCount = 2, kCountedPlaces = 16;

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

Operand number(std::uint64_t bits) { return {ptx::Immediate{bits, ptx::Type::s64}}; }

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(), [&](const std::string& one) {
    return one == modifier || (one.starts_with(modifier) && one.substr(modifier.size()).starts_with("::"));
  });
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
class Scaling {
 public:
  Scaling(ptx::Function& function, Scaled scaled)
      : function_(function), scaled_(way_of(scaled)), is_below_1_(is_below_1(scaled)) {}

  void run() {
    std::vector<ptx::Instruction> old = std::exchange(function_.code, {});
    std::vector<std::uint32_t> moved;
    if (scaled_ == Scaled::shared_memory || scaled_ == Scaled::exchanges) choose_power();
    if (scaled_ == Scaled::shared_loads) find_name();
    if (scaled_ == Scaled::block_turns) emit(Opcode::mov, {"u32"}, {temporary(kTurnsTaken), number(0)});
    for (ptx::Instruction& instruction : old) {
      moved.push_back(static_cast<std::uint32_t>(function_.code.size()));
      of_ = instruction;
      follow(std::move(instruction));
    }
    moved.push_back(static_cast<std::uint32_t>(function_.code.size()));
    for (ptx::Label& label : function_.labels) label.target = moved[label.target];
  }

 private:
  static constexpr std::uint8_t kMaxElements = 4;
  enum Temporary : std::uint8_t {
    kPower,
    kInverse,
    kFactor,
    kFactorOfLow,
    kLow,
    kHigh,
    kName,
    kReader,
    kReaderOfWord,
    kFactorBeforeSparing,
    kMark,
    kMarkedLow,
    kMarkedHigh,
    kSharing,
    kPlace,
    kBitsOfWord,
    kTurnsTaken,
    kWords,
    kPair = kWords + kMaxElements,
    kLongPlace,
    kPairs,
    kIsFloat = kPairs + kMaxElements,
    kMayStore,
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

  /// kName becomes the thread's number within its block, kReader what it leaves in floats that it loads.
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
    const Operand reader = temporary(kReader);
    emit(Opcode::mul, {"lo", "u32"}, {reader, name, number(kGolden)});
    emit(Opcode::shr, {"u32"}, {reader, reader, number(kUpperFour)});
    emit(Opcode::shl, {"b32"}, {reader, reader, number(kReaderAt)});
    emit(Opcode::or_, {"b32"}, {reader, reader, number(kWasRead)});
  }

  void follow(ptx::Instruction instruction) {
    const bool is_load = instruction.opcode == Opcode::ld, is_store = instruction.opcode == Opcode::st;
    const std::size_t operands = instruction.operands.size();
    window_.reset();
    spares_own_ = is_load && scaled_ == Scaled::shared_loads;
    if (scaled_ == Scaled::active_masks) {
      const bool is_mask = instruction.opcode == Opcode::activemask && operands > 0;
      const Operand mask = is_mask ? Operand{instruction.operands[0].value} : Operand{};
      function_.code.push_back(std::move(instruction));
      if (is_mask) keep_own_half(mask);
    } else if (scaled_ == Scaled::block_order || scaled_ == Scaled::block_turns) {
      if (scaled_ == Scaled::block_turns && shows_to_others(instruction))
        give_way(is_store ? kSleepsOfStore : kSleepsOfAtomic);
      const auto component = component_of_block(instruction);
      const Operand place = component ? Operand{instruction.operands[0].value} : Operand{};
      function_.code.push_back(std::move(instruction));
      if (component) go_to_opposite(place, *component);
    } else if (scaled_ == Scaled::exchanges && instruction.opcode == Opcode::shfl && operands > 1) {
      scale_sources(instruction.operands[1], 4);
      Operand destination{instruction.operands[0].value};
      function_.code.push_back(std::move(instruction));
      scale_loaded(destination, 4, temporary(kInverse));
    } else if ((scaled_ == Scaled::shared_memory || scaled_ == Scaled::shared_loads) && is_store &&
               operands > 1 && reaches(instruction, instruction.operands[0], "shared")) {
      scale_sources(instruction.operands[1], element_bytes(instruction));
      function_.code.push_back(std::move(instruction));
    } else if (is_load && operands > 1 && scaled_ != Scaled::exchanges &&
               reaches(instruction, instruction.operands[1],
                       scaled_ == Scaled::constant_loads ? "const" : "shared")) {
      Operand destination{instruction.operands[0].value};
      const std::size_t bytes = element_bytes(instruction);
      if (spares_own_) find_lanes_that_share(instruction.operands[1]);
      function_.code.push_back(std::move(instruction));
      scale_loaded(
          destination, bytes,
          scaled_ == Scaled::shared_memory ? temporary(kInverse) : number(std::uint64_t{1} << kExponentBit));
      if (spares_own_ && marked_.size() == elements_of(destination).size()) store_marked(bytes);
    } else {
      function_.code.push_back(std::move(instruction));
    }
  }

  /// Removes the lanes of the other half warp from the mask.
  void keep_own_half(const Operand& mask) {
    const Operand first = temporary(kLow), half = temporary(kHigh);
    emit(Opcode::mov, {"u32"}, {first, {ptx::SpecialRegister{"laneid"}}}, of_.guard);
    emit(Opcode::and_, {"b32"}, {first, first, number(kLanesOfHalf)}, of_.guard);
    emit(Opcode::mov, {"b32"}, {half, number(kHalfWarp)}, of_.guard);
    emit(Opcode::shl, {"b32"}, {half, half, first}, of_.guard);
    emit(Opcode::and_, {"b32"}, {mask, mask, half}, of_.guard);
  }

  /// Of an instruction that reads a component of %ctaid, which is always a move.
  static std::optional<char> component_of_block(const ptx::Instruction& instruction) {
    if (instruction.opcode != Opcode::mov || instruction.operands.size() != 2) return std::nullopt;
    const auto* special = std::get_if<ptx::SpecialRegister>(&instruction.operands[1].value);
    if (special == nullptr || special->name != "ctaid") return std::nullopt;
    return special->component;
  }

  void go_to_opposite(const Operand& place, char component) {
    const Operand last = temporary(kLow);
    emit(Opcode::mov, {"u32"}, {last, {ptx::SpecialRegister{"nctaid", component}}}, of_.guard);
    emit(Opcode::sub, {"u32"}, {last, last, number(1)}, of_.guard);
    emit(Opcode::sub, {"u32"}, {place, last, place}, of_.guard);
  }

  /// Whether other blocks can see what the instruction does.
  static bool shows_to_others(const ptx::Instruction& instruction) {
    if (has(instruction, "shared")) return false;
    const bool is_strong =
        has(instruction, "volatile") || has(instruction, "relaxed") || has(instruction, "release");
    return instruction.opcode == Opcode::atom || instruction.opcode == Opcode::red ||
           (instruction.opcode == Opcode::st && is_strong);
  }

  // A block gives way when all its warps sleep, others reach a barrier or their end first. Stores wait longer
  // than atomic operations, so that a store after the operation that announces it comes too late.
  static constexpr int kSleepsOfAtomic = 3, kSleepsOfStore = 12;

  void give_way(int sleeps) {
    const Operand taken = temporary(kTurnsTaken), count = temporary(kFactor), has_turn = temporary(kIsFloat);
    const std::uint64_t bit = places_++ % kCountedPlaces * kBitsOfCount;
    emit(Opcode::bfe, {"u32"}, {count, taken, number(bit), number(kBitsOfCount)});
    emit(Opcode::setp, {"lt", "u32"}, {has_turn, count, number(kTurns)});
    const ptx::Guard guard{std::get<ptx::Register>(has_turn.value)};
    emit(Opcode::add, {"u32"}, {taken, taken, number(std::uint64_t{1} << bit)}, guard);
    for (int i = 0; i < sleeps; ++i) emit(Opcode::nanosleep, {"u32"}, {number(1)}, guard);
  }

  /// kSharing becomes 0 if no other lane loads from the same place now. Keeps the place: the load can write
  /// its register.
  void find_lanes_that_share(const Operand& where) {
    const Operand sharing = temporary(kSharing), others = temporary(kFactor);
    place_ = std::get<ptx::Address>(where.value);
    emit(Opcode::activemask, {"b32"}, {sharing}, of_.guard);
    if (const auto* base = std::get_if<ptx::Register>(&place_.base)) {
      const bool is_long = ptx::size_of(function_.registers[base->index].type) == 8;
      const Operand kept = temporary(is_long ? kLongPlace : kPlace);
      const char* const type = is_long ? "b64" : "b32";
      emit(Opcode::mov, {type}, {kept, {*base}});
      emit(Opcode::match, {"any", "sync", type}, {sharing, kept, sharing}, of_.guard);
      place_.base = std::get<ptx::Register>(kept.value);
    }
    emit(Opcode::sub, {"u32"}, {others, sharing, number(1)});
    emit(Opcode::and_, {"b32"}, {sharing, sharing, others});
  }

  /// Puts the loaded words back, with the marks of the thread that loaded them.
  void store_marked(std::size_t bytes) {
    std::vector<std::string> modifiers;
    if (!window_) modifiers.emplace_back("shared");
    if (marked_.size() > 1) modifiers.push_back("v" + std::to_string(marked_.size()));
    modifiers.emplace_back(bytes == 4 ? "b32" : "b64");
    const Operand value = marked_.size() > 1 ? Operand{ptx::Vector{marked_}} : marked_.front();
    std::optional<ptx::Guard> guard = of_.guard;
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
    if (has(access, space)) return true;
    for (const char* other : {"shared", "const", "global", "local", "param"})
      if (has(access, other)) return false;
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
      const bool is_widened = ptx::size_of(function_.registers[into->index].type) > bytes;
      if (bytes == 4 && is_widened) scale_low(place, window, by);
      if (bytes == 4 && !is_widened) scale(place, place, window, by, of_.guard);
      if (bytes == 8) scale_pair(place, place, window, by, of_.guard);
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
    const Operand change = temporary(kFactorOfLow), factor = temporary(kFactor);
    emit(Opcode::and_, {"b32"}, {change, word, number(kOtherBits)});
    emit(Opcode::or_, {"b32"}, {change, change, temporary(kName)});
    emit(Opcode::sub, {"u32"}, {change, change, word});
    find_factor(factor, word, window, change);
    emit(Opcode::add, {"u32"}, {word, word, factor});
  }

  /// `factor` becomes `by`, which is to be added to the word's bits, or 0 if it is no float in the window.
  void find_factor(const Operand& factor, const Operand& word, Window window, const Operand& by) {
    const Operand is_float = temporary(kIsFloat);
    emit(Opcode::bfe, {"u32"}, {factor, word, number(kExponentBit), number(kExponentBits)});
    emit(Opcode::sub, {"u32"}, {factor, factor, number(window.least)});
    emit(Opcode::setp, {"lt", "u32"}, {is_float, factor, number(window.count)});
    emit(Opcode::selp, {"b32"}, {factor, by, number(0), is_float});
    const Operand fraction = temporary(kBitsOfWord), is_power = is_float;
    emit(Opcode::and_, {"b32"}, {fraction, word, number(kFractionBits)});
    emit(Opcode::setp, {"eq", "u32"}, {is_power, fraction, number(0)});
    emit(Opcode::selp, {"b32"}, {factor, number(0), factor, is_power});
    if (window_) emit(Opcode::selp, {"b32"}, {factor, factor, number(0), *window_});
    if (scaled_ == Scaled::constant_loads) {
      const Operand bit = temporary(kBitsOfWord);
      emit(Opcode::bfe, {"u32"}, {bit, word, number(kHalfBit), number(1)});
      emit(Opcode::shl, {"b32"}, {factor, factor, bit});
    }
    if (spares_own_) spare_own_and_first(factor, word);
  }

  /// `factor` becomes 0 if the word is the thread's own, or if no other thread has loaded it; kMark what the
  /// thread adds to the word.
  void spare_own_and_first(const Operand& factor, const Operand& word) {
    const Operand is_zero = temporary(kIsFloat), bits = temporary(kBitsOfWord), mark = temporary(kMark);
    emit(Opcode::mov, {"b32"}, {temporary(kFactorBeforeSparing), factor});
    emit(Opcode::and_, {"b32"}, {bits, word, number(kNameBits)});
    emit(Opcode::setp, {"eq", "u32"}, {is_zero, bits, temporary(kName)});
    emit(Opcode::selp, {"b32"}, {factor, number(0), factor, is_zero});

    emit(Opcode::setp, {"eq", "u32"}, {is_zero, factor, number(0)});
    emit(Opcode::selp, {"b32"}, {mark, number(0), temporary(kReader), is_zero});
    emit(Opcode::and_, {"b32"}, {bits, word, number(kReaderBits)});
    emit(Opcode::setp, {"eq", "u32"}, {is_zero, bits, number(0)});
    emit(Opcode::selp, {"b32"}, {mark, mark, number(0), is_zero});

    const Operand of_others = temporary(kReaderOfWord);
    emit(Opcode::xor_, {"b32"}, {of_others, bits, temporary(kReader)});
    emit(Opcode::min, {"u32"}, {of_others, of_others, bits});  // 0 if unread, or read by this thread
    emit(Opcode::or_, {"b32"}, {of_others, of_others, temporary(kSharing)});
    emit(Opcode::setp, {"eq", "u32"}, {is_zero, of_others, number(0)});
    emit(Opcode::selp, {"b32"}, {factor, number(0), factor, is_zero});
  }

  void mark(const Operand& to, const Operand& word) {
    emit(Opcode::or_, {"b32"}, {to, word, temporary(kMark)});
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
    emit(Opcode::mov, {"b64"}, {place, halves}, of_.guard);
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

  void emit(Opcode opcode, std::vector<std::string> modifiers, std::vector<Operand> operands,
            const std::optional<ptx::Guard>& guard = std::nullopt) {
    ptx::Instruction made;
    made.guard = guard;
    made.opcode = opcode;
    made.modifiers = std::move(modifiers);
    made.operands = std::move(operands);
    made.source = of_.source;
    made.ptx_line = of_.ptx_line;
    function_.code.push_back(std::move(made));
  }

  Operand temporary(Temporary which) {
    if (!first_) {
      first_ = static_cast<std::uint32_t>(function_.registers.size());
      for (std::uint8_t i = 0; i < kTemporaries; ++i) {
        const ptx::Type type = i < kPair ? ptx::Type::b32 : i < kIsFloat ? ptx::Type::b64 : ptx::Type::pred;
        function_.registers.push_back({"%scaling." + std::to_string(i), type});
      }
    }
    return {ptx::Register{*first_ + which}};
  }

  ptx::Function& function_;
  Scaled scaled_;
  bool is_below_1_;
  ptx::Instruction of_;                 ///< the instruction to which others are added
  std::optional<std::uint32_t> first_;  ///< the first of the registers
  std::uint64_t places_ = 0;            ///< at which threads give way
  bool spares_own_ = false;             ///< whether words with the thread's own name stay as they are
  ptx::Address place_;                  ///< of the current load, if it spares own words
  std::vector<Operand> marked_;         ///< its words, with marks
  std::optional<Operand> window_;  ///< whether the current access is to the space, if only the kernel knows
};

bool is_concerned(const ptx::Instruction& instruction) {
  return instruction.opcode == Opcode::ld || instruction.opcode == Opcode::st ||
         instruction.opcode == Opcode::shfl || instruction.opcode == Opcode::activemask ||
         instruction.opcode == Opcode::atom || instruction.opcode == Opcode::red;
}

}  // namespace

void scale_values(ptx::Module& module, Scaled scaled) {
  if (scaled == Scaled::nothing) return;
  for (ptx::Function& function : module.functions)
    if (std::any_of(function.code.begin(), function.code.end(), is_concerned))
      Scaling(function, scaled).run();
}

}  // namespace vgpu::exec
