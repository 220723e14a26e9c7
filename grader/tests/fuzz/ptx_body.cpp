// Writes a kernel of the fuzzer as PTX.
//
// In addition to the program's registers: %m<depth> holds the lanes that are active at a depth of nesting,
// for the masks of warp instructions; %c<depth> counts a loop's iterations; %b<space> is the address of the
// thread's piece of memory, %g<space> the same as a generic address.
#include <algorithm>

#include "program.hpp"

namespace fuzz {
namespace {

constexpr int kDeepest = 8;

std::string type_of(Kind kind) {
  switch (kind) {
    case 'p':
      return "pred";
    case 'h':
      return "b16";
    case 'r':
      return "b32";
    case 'l':
      return "b64";
    case 'f':
      return "f32";
    default:
      return "f64";
  }
}

std::string hexadecimal(Bits bits, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += "0123456789ABCDEF"[bits >> 4 * i & 0xF];
  return text;
}

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  std::string write(const std::string& in, const std::string& out) {
    declare();
    line("mov.u32 %x0, %tid.x;");
    load_inputs(in);
    if (program_.uses_memory) set_up_memory(out);
    line("mov.b32 %m0, -1;");
    steps(program_.steps, 0);
    store_outputs(out);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  std::string name(std::size_t index) const { return register_name(program_, index); }

  void declare() {
    line(".reg .pred %q<" + std::to_string(kDeepest) + ">;");
    line(".reg .b32 %x<4>, %m<" + std::to_string(kDeepest) + ">, %c<" + std::to_string(kDeepest) + ">;");
    line(".reg .b64 %y<4>, %b<3>, %g<3>;");
    for (std::size_t i = 0; i < program_.registers.size(); ++i) {
      line(".reg ." + type_of(program_.registers[i]) + " " + name(i) + ";");
    }
    if (!program_.uses_memory) return;
    line(".shared .align 16 .b8 pieces[" + std::to_string(kThreads * kPiece) + "];");
    line(".local .align 16 .b8 piece[" + std::to_string(kPiece) + "];");
  }

  void load_inputs(const std::string& in) {
    line("mad.wide.u32 %y0, %x0, " + std::to_string(program_.input_slots() * kSlot) + ", " + in + ";");
    for (std::size_t i = 0; i < program_.registers.size(); ++i) {
      const std::string at = "[%y0+" + std::to_string(i * kSlot) + "];";
      const Kind kind = program_.registers[i];
      if (kind != 'p') {
        line("ld.global." + type_of(kind) + " " + name(i) + ", " + at);
      } else {
        line("ld.global.b32 %x1, " + at);
        line("setp.ne.u32 " + name(i) + ", %x1, 0;");
      }
    }
  }

  std::string record(const std::string& out) {
    line("mad.wide.u32 %y1, %x0, " + std::to_string(program_.output_slots() * kSlot) + ", " + out + ";");
    return "%y1+";
  }
  std::size_t piece_slot(std::size_t space) const { return program_.memory_slot() * kSlot + space * kPiece; }

  /// The thread's piece of global memory is part of its output record.
  void set_up_memory(const std::string& out) {
    record(out);
    line("add.u64 %b0, %y1, " + std::to_string(piece_slot(0)) + ";");
    line("mov.u64 %y2, pieces;");
    line("mad.wide.u32 %b1, %x0, " + std::to_string(kPiece) + ", %y2;");
    line("mov.u64 %b2, piece;");
    for (std::size_t space = 0; space < kSpaces.size(); ++space) {
      const std::string index = std::to_string(space);
      line(std::string("cvta.") + kSpaces[space] + ".u64 %g" + index + ", %b" + index + ";");
      for (std::size_t at = 0; at < kPiece; at += 8) {
        line(std::string("st.") + kSpaces[space] + ".u64 [%b" + index + "+" + std::to_string(at) + "], 0;");
      }
    }
  }

  void store_outputs(const std::string& out) {
    const std::string at = "[" + record(out);
    for (std::size_t i = 0; i < program_.registers.size(); ++i) {
      const Kind kind = program_.registers[i];
      const std::string slot = at + std::to_string(i * kSlot) + "], ";
      if (kind == 'p') line("selp.u32 %x1, 1, 0, " + name(i) + ";");
      line("st.global." + (kind == 'p' ? "u32 " + slot + "%x1" : type_of(kind) + " " + slot + name(i)) + ";");
    }
    if (!program_.uses_memory) return;
    for (std::size_t space = 1; space < kSpaces.size(); ++space) {
      for (std::size_t byte = 0; byte < kPiece; byte += 8) {
        line(std::string("ld.") + kSpaces[space] + ".u64 %y3, [%b" + std::to_string(space) + "+" +
             std::to_string(byte) + "];");
        line("st.global.u64 " + at + std::to_string(piece_slot(space) + byte) + "], %y3;");
      }
    }
  }

  void steps(const std::vector<Step>& all, int depth) {
    for (const Step& step : all) {
      switch (step.what) {
        case Step::What::compute:
          compute(step);
          break;
        case Step::What::branch:
          branch(step, depth);
          break;
        case Step::What::loop:
          loop(step, depth);
          break;
        case Step::What::load:
          memory(step, "ld");
          break;
        case Step::What::store:
          memory(step, "st");
          break;
        case Step::What::atomic:
          atomic(step);
          break;
        default:
          warp_wide(step, depth);
      }
    }
  }

  std::string guard(const Step& step) const {
    return !step.has_guard ? "" : (step.guard_negated ? "@!" : "@") + name(step.guard) + " ";
  }

  std::string operand(const Operand& operand, Kind kind) const {
    if (!operand.is_immediate) return name(operand.index);
    if (kind == 'f') return "0f" + hexadecimal(operand.bits, 8);
    if (kind == 'd') return "0d" + hexadecimal(operand.bits, 16);
    return "0x" + hexadecimal(operand.bits, kind == 'l' ? 16 : kind == 'h' ? 4 : 8);
  }

  void compute(const Step& step) {
    std::string text = guard(step) + step.form->name + " " + name(step.destination);
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      text += ", " + operand(step.operands[i], step.form->kinds[i + 1]);
    }
    line(text + ";");
  }

  void branch(const Step& step, int depth) {
    const std::string id = std::to_string(labels_++), mask = "%m" + std::to_string(depth),
                      inner = "%m" + std::to_string(depth + 1);
    const std::string condition = name(step.guard);
    // The body can overwrite the condition, so the other branch's mask is computed here too.
    line("vote.sync.ballot.b32 " + inner + ", " + condition + ", " + mask + ";");
    line("@" + condition + " bra THEN_" + id + ";");
    line("not.b32 " + inner + ", " + inner + ";");
    line("and.b32 " + inner + ", " + inner + ", " + mask + ";");
    steps(step.otherwise, depth + 1);
    line("bra END_" + id + ";");
    line("THEN_" + id + ":");
    steps(step.body, depth + 1);
    line("END_" + id + ":");
    line("bar.warp.sync " + mask + ";");
  }

  void loop(const Step& step, int depth) {
    const std::string id = std::to_string(labels_++), outer = "%m" + std::to_string(depth),
                      d = std::to_string(depth + 1);
    line("and.b32 %c" + d + ", " + operand(step.operands[0], 'r') + ", 7;");
    line("mov.b32 %m" + d + ", " + outer + ";");
    line("LOOP_" + id + ":");
    line("setp.ne.u32 %q" + d + ", %c" + d + ", 0;");
    line("vote.sync.ballot.b32 %m" + d + ", %q" + d + ", %m" + d + ";");
    line("@!%q" + d + " bra END_" + id + ";");
    steps(step.body, depth + 1);
    line("sub.u32 %c" + d + ", %c" + d + ", 1;");
    line("bra LOOP_" + id + ";");
    line("END_" + id + ":");
    line("bar.warp.sync " + outer + ";");
  }

  /// Computes the address into %y2 and returns ".space" for the opcode.
  std::string address(const Step& step) {
    const std::size_t bytes = step.element_bytes * std::max<std::size_t>(step.elements.size(), 1);
    line("and.b32 %x2, " + operand(step.operands[0], 'r') + ", " + std::to_string(kPiece - bytes) + ";");
    line("cvt.u64.u32 %y2, %x2;");
    line("add.u64 %y2, %y2, " + std::string(step.is_generic ? "%g" : "%b") + std::to_string(step.space) +
         ";");
    return step.is_generic ? "" : std::string(".") + kSpaces[step.space];
  }

  void memory(const Step& step, const std::string& opcode) {
    std::string elements;
    for (const std::size_t element : step.elements)
      elements += (elements.empty() ? "" : ", ") + name(element);
    if (step.elements.size() > 1) elements = "{" + elements + "}";
    const std::string head = opcode + address(step) +
                             (step.elements.size() > 1 ? ".v" + std::to_string(step.elements.size()) : "") +
                             "." + step.mode;
    line(guard(step) + head + (opcode == "ld" ? " " + elements + ", [%y2];" : " [%y2], " + elements + ";"));
  }

  void atomic(const Step& step) {
    std::string text =
        guard(step) + "atom" + address(step) + "." + step.mode + " " + name(step.destination) + ", [%y2]";
    const Kind kind = program_.registers[step.destination];
    for (std::size_t i = 1; i < step.operands.size(); ++i) text += ", " + operand(step.operands[i], kind);
    line(text + ";");
  }

  /// The register with the member mask: lanes that are active, of the lane's own tile.
  std::string member_mask(const Tiling& tiling, int depth) {
    const std::string active = "%m" + std::to_string(depth);
    if (tiling.kind == Tiling::Kind::whole) return active;
    Bits tile = 0;
    for (int lane = 0; lane < kLanes; ++lane) tile |= Bits{tiling.tile_of(lane) == 0} << lane;
    const int position = tiling.kind == Tiling::Kind::strided ? tiling.count - 1 : kLanes - tiling.count;
    line("mov.u32 %x3, %laneid;");
    line("and.b32 %x3, %x3, " + std::to_string(position) + ";");
    line("shl.b32 %x3, 0x" + hexadecimal(tile, 8) + ", %x3;");
    line("and.b32 %x3, %x3, " + active + ";");
    return "%x3";
  }

  void warp_wide(const Step& step, int depth) {
    const std::string mask = member_mask(step.tiling, depth), to = name(step.destination);
    const std::string from = operand(step.operands[0], 'r');
    if (step.what == Step::What::shuffle) {
      const int segment = kLanes - step.tiling.count;
      const std::string control = std::to_string(segment << 8 | (step.mode == "up" ? 0 : 31));
      std::string amount = operand(step.operands[1], 'r');
      // A butterfly could read an earlier tile: the manual permits it, but does not define the values of
      // lanes that are not in the mask.
      if (step.mode == "bfly" && segment != 0) {
        line("and.b32 %x2, " + amount + ", " + std::to_string(step.tiling.count - 1) + ";");
        amount = "%x2";
      }
      line("shfl.sync." + step.mode + ".b32 " + to + ", " + from + ", " + amount + ", " + control + ", " +
           mask + ";");
    } else if (step.what == Step::What::vote) {
      line("vote.sync." + step.mode + (step.mode == "ballot" ? ".b32 " : ".pred ") + to + ", " + from + ", " +
           mask + ";");
    } else if (step.what == Step::What::match) {
      const bool wide = program_.registers[step.operands[0].index] == 'l';
      line(std::string("match.any.sync.") + (wide ? "b64 " : "b32 ") + to + ", " + from + ", " + mask + ";");
    } else {
      line("redux.sync." + step.mode + " " + to + ", " + from + ", " + mask + ";");
    }
  }

  const Program& program_;
  std::string text_;
  int labels_ = 0;
};

}  // namespace

std::string register_name(const Program& program, std::size_t index) {
  // Names contain the kind's letter, unlike compilers' PTX, which names 64-bit registers rd.
  return std::string("%") + program.registers[index] + "_" + std::to_string(index);
}

std::string ptx_body(const Program& program, const std::string& in, const std::string& out) {
  return Writer(program).write(in, out);
}

}  // namespace fuzz
