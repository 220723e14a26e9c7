// Generates kernels for the fuzzer: sheets of single instructions, and random programs.
#include <algorithm>
#include <cstdio>

#include "program.hpp"

namespace fuzz {
namespace {

constexpr int kDeepestNesting = 3;

/// Registers of a random program, by kind.
constexpr struct {
  Kind kind;
  int count;
} kPool[] = {{'h', 4}, {'r', 7}, {'l', 5}, {'f', 4}, {'d', 3}, {'p', 4}};

struct MemoryType {
  const char* name;
  std::size_t bytes;
  const char* kinds;  ///< of registers for loads and stores
};
constexpr MemoryType kLoads[] = {{"u8", 1, "hrl"}, {"s8", 1, "hrl"}, {"u16", 2, "hrl"}, {"s16", 2, "hrl"},
                                 {"b16", 2, "h"},  {"u32", 4, "rl"}, {"s32", 4, "rl"},  {"b32", 4, "r"},
                                 {"u64", 8, "l"},  {"s64", 8, "l"},  {"b64", 8, "l"}};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    for (const auto& pool : kPool) program_.registers.insert(program_.registers.end(), pool.count, pool.kind);
    program_.uses_memory = true;
  }

  Program program() {
    program_.steps = steps(12 + random_.below(20), 0);
    return std::move(program_);
  }

 private:
  std::vector<Step> steps(std::size_t count, int depth) {
    std::vector<Step> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(step(depth));
    return all;
  }

  Step step(int depth) {
    const std::size_t choice = random_.below(20);
    if (choice < 3 && depth < kDeepestNesting) return nested(depth);
    if (choice < 6) return memory();
    if (choice < 7) return atomic();
    if (choice < 9) return warp_wide(depth);
    return compute();
  }

  std::size_t some_register(Kind kind) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < program_.registers.size(); ++i) {
      if (program_.registers[i] == kind) found.push_back(i);
    }
    return random_.one_of(found);
  }
  Operand register_operand(Kind kind) { return {false, 0, some_register(kind)}; }

  void maybe_guard(Step& step) {
    if (!random_.one_in(4)) return;
    step.has_guard = true;
    step.guard = some_register('p');
    step.guard_negated = random_.one_in(2);
  }

  Step compute() {
    const Form* form = nullptr;
    do {
      form = &random_.one_of(forms());
    } while (form->is_defined || form->shows_nan_bits);
    Step step;
    step.form = form;
    step.destination = some_register(form->kinds[0]);
    for (const Kind kind : form->kinds.substr(1)) {
      const bool immediate = kind != 'p' && !step.operands.empty() && random_.one_in(5);
      step.operands.push_back(immediate ? Operand{true, random_.value(kind) & immediate_bits(form->name), 0}
                                        : register_operand(kind));
    }
    if (may_be_guarded(form->name)) maybe_guard(step);
    return step;
  }

  /// The assembler of CUDA 13.0 drops the predicate of some instructions (assembler_faults.cu).
  static bool may_be_guarded(const std::string& form) {
    return !form.starts_with("set.") && !form.starts_with("testp.");
  }

  /// The bits that an immediate can have. The assembler accepts positions and lengths of bit fields only up
  /// to 255, and keeps only the lower half of a 16-bit shift's amount (assembler_faults.cu).
  static Bits immediate_bits(const std::string& form) {
    if (form.starts_with("bf")) return 0xFF;
    const bool is_shift = form.starts_with("shl.") || form.starts_with("shr.");
    return is_shift && form.ends_with("16") ? 0xFFFF : ~Bits{0};
  }

  Step nested(int depth) {
    Step step;
    if (random_.one_in(3)) {
      step.what = Step::What::loop;
      step.operands = {register_operand('r')};
    } else {
      step.what = Step::What::branch;
      step.guard = some_register('p');
      if (random_.one_in(2)) step.otherwise = steps(1 + random_.below(4), depth + 1);
    }
    step.body = steps(1 + random_.below(5), depth + 1);
    return step;
  }

  void choose_address(Step& step) {
    step.space = random_.below(kSpaces.size());
    step.is_generic = random_.one_in(3);
    step.operands.push_back(register_operand('r'));
  }

  Step memory() {
    Step step;
    const MemoryType& type = random_.one_of(kLoads);
    step.what = random_.one_in(2) ? Step::What::load : Step::What::store;
    step.mode = type.name;
    step.element_bytes = type.bytes;
    choose_address(step);
    const std::size_t most = type.bytes == 8 ? 2 : 4;
    const std::size_t count = random_.one_in(2) ? 1 : random_.one_in(2) ? 2 : most;
    // Compilers generate no extending vector accesses, and the virtual GPU does not support them.
    const bool may_extend = count == 1;
    if (!may_extend && type.name[0] == 's') step.mode[0] = 'u';
    const Kind kind = may_extend ? random_.one_of(std::string(type.kinds)) : type.kinds[0];
    while (step.elements.size() < count) {
      const std::size_t element = some_register(kind);
      const bool again =
          std::find(step.elements.begin(), step.elements.end(), element) != step.elements.end();
      if (!again || step.what == Step::What::store) step.elements.push_back(element);
    }
    maybe_guard(step);
    return step;
  }

  Step atomic() {
    static const std::vector<std::string> kModes{
        "add.u32", "add.s32",  "add.u64",  "min.u32", "min.s32", "min.u64", "min.s64", "max.u32",
        "max.s32", "max.u64",  "max.s64",  "and.b32", "and.b64", "or.b32",  "or.b64",  "xor.b32",
        "xor.b64", "exch.b32", "exch.b64", "cas.b32", "cas.b64", "inc.u32", "dec.u32"};
    Step step;
    step.what = Step::What::atomic;
    step.mode = random_.one_of(kModes);
    step.element_bytes = step.mode.ends_with("64") ? 8 : 4;
    const Kind kind = step.element_bytes == 8 ? 'l' : 'r';
    choose_address(step);
    if (step.space == 2) step.space = 0;  // local memory has no atomics
    step.operands.push_back(register_operand(kind));
    if (step.mode.starts_with("cas")) step.operands.push_back(register_operand(kind));
    step.destination = some_register(kind);
    maybe_guard(step);
    return step;
  }

  Step warp_wide(int depth) {
    static const std::vector<std::string> kReductions{"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                                      "max.s32", "and.b32", "or.b32",  "xor.b32"};
    Step step;
    const std::size_t choice = random_.below(depth == 0 ? 4 : 3);
    if (choice == 0) {
      step.what = Step::What::vote;
      step.mode = random_.one_of(std::vector<std::string>{"all", "any", "uni", "ballot"});
      step.operands = {register_operand('p')};
      step.destination = some_register(step.mode == "ballot" ? 'r' : 'p');
    } else if (choice == 1) {
      step.what = Step::What::match;
      step.operands = {register_operand(random_.one_in(3) ? 'l' : 'r')};
      step.destination = some_register('r');
    } else if (choice == 2) {
      step.what = Step::What::reduce;
      step.mode = random_.one_of(kReductions);
      step.operands = {register_operand('r')};
      step.destination = some_register('r');
    } else {
      // Only if all lanes are active: reading from an inactive lane is undefined.
      step.what = Step::What::shuffle;
      step.mode = random_.one_of(std::vector<std::string>{"up", "down", "bfly", "idx"});
      step.operands = {register_operand('r'),
                       random_.one_in(2) ? Operand{true, random_.below(32), 0} : register_operand('r')};
      step.destination = some_register('r');
    }
    if (random_.one_in(2)) step.tiling = tiling(step.what == Step::What::shuffle);
    return step;
  }

  /// Shuffles support only tiles of adjacent lanes.
  Tiling tiling(bool is_shuffle) {
    const int count = 1 << (1 + random_.below(4));
    const bool is_strided = !is_shuffle && random_.one_in(3);
    return {is_strided ? Tiling::Kind::strided : Tiling::Kind::blocks, count};
  }

  Random random_;
  Program program_;
};

Sheet sheet_of(const std::vector<Form>& all, std::size_t first) {
  Sheet sheet;
  for (std::size_t i = first; i < std::min(all.size(), first + kFormsPerSheet); ++i) {
    Step step;
    step.form = &all[i];
    step.destination = sheet.program.registers.size();
    sheet.program.registers.push_back(step.form->kinds[0]);
    for (const Kind kind : step.form->kinds.substr(1)) {
      step.operands.push_back({false, 0, sheet.program.registers.size()});
      sheet.program.registers.push_back(kind);
    }
    sheet.forms.push_back(step.form);
    sheet.results.push_back(step.destination);
    sheet.program.steps.push_back(std::move(step));
  }
  return sheet;
}

std::string hexadecimal(Bits bits) {
  char text[20];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(bits));
  return text;
}

bool same_value(Kind kind, Bits a, Bits b) {
  if (kind == 'f' && from_bits<float>(a) != from_bits<float>(a))
    return from_bits<float>(b) != from_bits<float>(b);
  if (kind == 'd' && from_bits<double>(a) != from_bits<double>(a))
    return from_bits<double>(b) != from_bits<double>(b);
  return a == b;
}

}  // namespace

std::vector<Sheet> all_sheets() {
  std::vector<Sheet> sheets;
  for (std::size_t first = 0; first < forms().size(); first += kFormsPerSheet)
    sheets.push_back(sheet_of(forms(), first));
  return sheets;
}

std::vector<Record> sheet_inputs(const Sheet& sheet, std::uint64_t seed) {
  Random random(seed);
  std::vector<Record> inputs(kThreads, Record(sheet.program.registers.size()));
  for (Record& record : inputs) {
    for (std::size_t i = 0; i < sheet.forms.size(); ++i) {
      const Form& form = *sheet.forms[i];
      Bits* operands = &record[sheet.results[i] + 1];
      do {
        for (std::size_t k = 1; k < form.kinds.size(); ++k) operands[k - 1] = random.value(form.kinds[k]);
      } while (form.is_defined && !form.is_defined(operands));
    }
  }
  return inputs;
}

Program random_program(std::uint64_t seed) { return Generator(seed).program(); }

std::vector<Record> random_inputs(const Program& program, std::uint64_t seed) {
  Random random(~seed);
  std::vector<Record> inputs(kThreads, Record(program.registers.size()));
  for (Record& record : inputs) {
    for (std::size_t i = 0; i < record.size(); ++i) record[i] = random.value(program.registers[i]);
  }
  return inputs;
}

std::string first_difference(const Program& program, const std::vector<Record>& outputs,
                             const std::vector<Record>& expected) {
  for (std::size_t thread = 0; thread < expected.size(); ++thread) {
    for (std::size_t slot = 0; slot < expected[thread].size(); ++slot) {
      const bool is_register = slot < program.registers.size();
      const Bits got = outputs[thread][slot], correct = expected[thread][slot];
      if (same_value(is_register ? program.registers[slot] : 'l', got, correct)) continue;
      const std::string where = is_register ? register_name(program, slot)
                                            : "memory slot " + std::to_string(slot - program.memory_slot());
      return "thread " + std::to_string(thread) + " " + where + ": " + hexadecimal(got) + " instead of " +
             hexadecimal(correct);
    }
  }
  return {};
}

std::vector<std::string> differences(const Sheet& sheet, const std::vector<Record>& inputs,
                                     const std::vector<Record>& outputs,
                                     const std::vector<Record>& expected) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < sheet.forms.size(); ++i) {
    const std::string& kinds = sheet.forms[i]->kinds;
    const std::size_t slot = sheet.results[i];
    std::size_t different = 0, first = 0;
    for (std::size_t thread = expected.size(); thread-- > 0;) {
      if (same_value(kinds[0], outputs[thread][slot], expected[thread][slot])) continue;
      ++different;
      first = thread;
    }
    if (different == 0) continue;
    std::string text = sheet.forms[i]->name + " of";
    for (std::size_t k = 1; k < kinds.size(); ++k) text += " " + hexadecimal(inputs[first][slot + k]);
    all.push_back(text + " is " + hexadecimal(outputs[first][slot]) + " instead of " +
                  hexadecimal(expected[first][slot]) + ", one of " + std::to_string(different));
  }
  return all;
}

}  // namespace fuzz
