// Instructions that no program can write, because their names have parentheses: the steps of experiments on
// floats (analysis/scaling.hpp says what they are for). With PTX's own instructions, each would take ten
// times as long.
#include <cstdint>

#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/lanes.hpp"
#include "vgpu/state/word_marks.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

using u32 = std::uint32_t;

constexpr InstructionClass kClass = InstructionClass::integer;

/// Whether the word is a float with one of `count` exponents from `least` on, and no power of two.
constexpr bool is_uneven_float(u32 word, u32 least, u32 count) {
  constexpr u32 kExponentBit = 23, kExponentBits = 0xFF, kFractionBits = 0x7FFFFF;
  return ((word >> kExponentBit & kExponentBits) - least < count) & ((word & kFractionBits) != 0);
}

}  // namespace

void add_experiment_forms(FormTable& t) {
  // What is to be added to the word: `by`, or 0 if it is no such float.
  t["(change).b32"] = lanewise<[](u32 word, u32 by, u32 least, u32 count) -> u32 {
    return is_uneven_float(word, least, count) ? by : 0;
  }>(kClass);
  // The word with the name of the thread that stores it.
  t["(signed).b32"] = lanewise<[](u32 word, u32 name, u32 least, u32 count) -> u32 {
    return is_uneven_float(word, least, count) ? (word & ~(kNameBits | kReaderBits)) | name : word;
  }>(kClass);
  // What is left of the change: 0 for a thread's own word, or if no other thread has loaded the word or
  // shares it now.
  t["(shared).b32"] = lanewise<[](u32 word, u32 name, u32 sharing, u32 change) -> u32 {
    const u32 readers = word & kReaderBits;
    const bool has_others = (readers != 0) & (readers != reader_bits(name));
    return ((word & kNameBits) != name) & (has_others | (sharing != 0)) ? change : 0;
  }>(kClass);
  // The word with a mark of its first reader.
  t["(marked).b32"] = lanewise<[](u32 word, u32 name, u32 change) -> u32 {
    const bool is_first = (change != 0) & ((word & kNameBits) != name) & ((word & kReaderBits) == 0);
    return is_first ? word | reader_bits(name) : word;
  }>(kClass);
}

}  // namespace vgpu::exec::VGPU_ISA
