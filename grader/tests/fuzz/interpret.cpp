// Runs a kernel of the fuzzer, one lane after the other: without vectors or shortcuts, and with sets of lanes
// as masks.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "program.hpp"

namespace fuzz {
namespace {

using Lanes = std::vector<int>;
using Piece = std::array<unsigned char, kPiece>;

struct Thread {
  Record registers;
  std::array<Piece, kSpaces.size()> memory{};
};

Bits low(Bits bits, std::size_t bytes) { return bytes == 8 ? bits : bits & ((Bits{1} << 8 * bytes) - 1); }

/// Extends loaded bytes to a register according to the load's type; a register is as wide as its kind.
Bits extended(Bits bits, std::size_t bytes, bool is_signed, Kind kind) {
  if (is_signed && bytes < 8 && (bits >> (8 * bytes - 1) & 1) != 0) bits |= ~Bits{0} << 8 * bytes;
  return low(bits, kind == 'h' ? 2 : kind == 'r' || kind == 'f' ? 4 : 8);
}

template <class T>
T combined(const std::string& operation, T old, T b, T c) {
  if (operation == "add") return static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(b));
  if (operation == "min") return std::min(old, b);
  if (operation == "max") return std::max(old, b);
  if (operation == "and") return old & b;
  if (operation == "or") return old | b;
  if (operation == "xor") return old ^ b;
  if (operation == "exch") return b;
  if (operation == "cas") return old == b ? c : old;
  if (operation == "inc") return old >= b ? T{0} : old + 1;
  if (operation == "dec") return old == 0 || old > b ? b : old - 1;
  throw std::logic_error("no operation " + operation);
}

/// `mode` is for example "add.s32".
Bits combined_bits(const std::string& mode, Bits old, Bits b, Bits c) {
  const auto dot = mode.find('.');
  const std::string operation = mode.substr(0, dot), type = mode.substr(dot + 1);
  const auto as = [&]<class T>(T) {
    return to_bits(combined<T>(operation, from_bits<T>(old), from_bits<T>(b), from_bits<T>(c)));
  };
  if (type == "s32") return as(std::int32_t{});
  if (type == "s64") return as(std::int64_t{});
  return type.ends_with("64") ? as(std::uint64_t{}) : as(std::uint32_t{});
}

class Warp {
 public:
  Warp(const Program& program, std::vector<Thread>& threads) : program_(program), threads_(threads) {}

  void run(const std::vector<Step>& steps, const Lanes& lanes) {
    for (const Step& step : steps) {
      if (!lanes.empty()) run(step, lanes);
    }
  }

 private:
  void run(const Step& step, const Lanes& lanes) {
    switch (step.what) {
      case Step::What::branch:
        return branch(step, lanes);
      case Step::What::loop:
        return loop(step, lanes);
      case Step::What::shuffle:
        return in_tiles(step, lanes, &Warp::shuffle);
      case Step::What::vote:
        return in_tiles(step, lanes, &Warp::vote);
      case Step::What::match:
        return in_tiles(step, lanes, &Warp::match);
      case Step::What::reduce:
        return in_tiles(step, lanes, &Warp::reduce);
      default:
        break;
    }
    for (const int lane : lanes) {
      if (step.has_guard && (threads_[lane].registers[step.guard] != 0) == step.guard_negated) continue;
      if (step.what == Step::What::compute) compute(step, lane);
      if (step.what == Step::What::load) load(step, lane);
      if (step.what == Step::What::store) store(step, lane);
      if (step.what == Step::What::atomic) atomic(step, lane);
    }
  }

  Bits value(const Operand& operand, int lane) const {
    return operand.is_immediate ? operand.bits : threads_[lane].registers[operand.index];
  }
  void set(std::size_t destination, int lane, Bits bits) { threads_[lane].registers[destination] = bits; }

  void compute(const Step& step, int lane) {
    std::array<Bits, 4> operands{};
    for (std::size_t i = 0; i < step.operands.size(); ++i) operands[i] = value(step.operands[i], lane);
    set(step.destination, lane, step.form->result(operands.data()));
  }

  void branch(const Step& step, const Lanes& lanes) {
    Lanes yes, no;
    for (const int lane : lanes) (threads_[lane].registers[step.guard] != 0 ? yes : no).push_back(lane);
    run(step.body, yes);
    run(step.otherwise, no);
  }

  void loop(const Step& step, Lanes lanes) {
    std::array<Bits, kLanes> left{};
    for (const int lane : lanes) left[lane] = value(step.operands[0], lane) & 7;
    for (;;) {
      std::erase_if(lanes, [&](int lane) { return left[lane]-- == 0; });
      if (lanes.empty()) return;
      run(step.body, lanes);
    }
  }

  /// The offset at which a load or store of this many bytes begins.
  unsigned char* address(const Step& step, int lane) {
    const std::size_t bytes = step.element_bytes * std::max<std::size_t>(step.elements.size(), 1);
    return threads_[lane].memory[step.space].data() + (value(step.operands[0], lane) & (kPiece - bytes));
  }

  void load(const Step& step, int lane) {
    const unsigned char* from = address(step, lane);
    for (const std::size_t element : step.elements) {
      Bits bits = 0;
      std::memcpy(&bits, from, step.element_bytes);
      set(element, lane,
          extended(bits, step.element_bytes, step.mode[0] == 's', program_.registers[element]));
      from += step.element_bytes;
    }
  }

  void store(const Step& step, int lane) {
    unsigned char* to = address(step, lane);
    for (const std::size_t element : step.elements) {
      std::memcpy(to, &threads_[lane].registers[element], step.element_bytes);
      to += step.element_bytes;
    }
  }

  void atomic(const Step& step, int lane) {
    unsigned char* at = address(step, lane);
    Bits old = 0;
    std::memcpy(&old, at, step.element_bytes);
    const Bits b = value(step.operands[1], lane);
    const Bits c = step.operands.size() > 2 ? value(step.operands[2], lane) : 0;
    const Bits updated = combined_bits(step.mode, old, b, c);
    std::memcpy(at, &updated, step.element_bytes);
    set(step.destination, lane, old);
  }

  void in_tiles(const Step& step, const Lanes& lanes, void (Warp::*operation)(const Step&, const Lanes&)) {
    std::map<int, Lanes> tiles;
    for (const int lane : lanes) tiles[step.tiling.tile_of(lane)].push_back(lane);
    for (const auto& [number, tile] : tiles) (this->*operation)(step, tile);
  }

  /// All 32 lanes take part; a lane that would read outside its tile gets its own value. Butterflies stay in
  /// the tile.
  void shuffle(const Step& step, const Lanes& lanes) {
    std::array<Bits, kLanes> old{};
    for (const int lane : lanes) old[lane] = value(step.operands[0], lane);
    for (const int lane : lanes) {
      const int amount = static_cast<int>(value(step.operands[1], lane) & 31);
      const int count = step.tiling.count;
      const int tile = step.tiling.tile_of(lane);
      int from = tile * count + amount % count;
      if (step.mode == "up") from = lane - amount;
      if (step.mode == "down") from = lane + amount;
      if (step.mode == "bfly") from = lane ^ amount % count;
      set(step.destination, lane, old[from >= 0 && from / count == tile ? from : lane]);
    }
  }

  void vote(const Step& step, const Lanes& lanes) {
    Bits ballot = 0, everyone = 0;
    for (const int lane : lanes) {
      everyone |= Bits{1} << lane;
      if (value(step.operands[0], lane) != 0) ballot |= Bits{1} << lane;
    }
    Bits result = ballot;
    if (step.mode == "all") result = ballot == everyone;
    if (step.mode == "any") result = ballot != 0;
    if (step.mode == "uni") result = ballot == 0 || ballot == everyone;
    for (const int lane : lanes) set(step.destination, lane, result);
  }

  void match(const Step& step, const Lanes& lanes) {
    std::array<Bits, kLanes> found{};
    for (const int lane : lanes) {
      for (const int other : lanes) {
        if (value(step.operands[0], lane) == value(step.operands[0], other)) found[lane] |= Bits{1} << other;
      }
    }
    for (const int lane : lanes) set(step.destination, lane, found[lane]);
  }

  void reduce(const Step& step, const Lanes& lanes) {
    Bits result = value(step.operands[0], lanes.front());
    for (std::size_t i = 1; i < lanes.size(); ++i) {
      result = combined_bits(step.mode, result, value(step.operands[0], lanes[i]), 0);
    }
    for (const int lane : lanes) set(step.destination, lane, result);
  }

  const Program& program_;
  std::vector<Thread>& threads_;
};

}  // namespace

std::vector<Record> interpret(const Program& program, const std::vector<Record>& inputs) {
  std::vector<Record> outputs;
  for (std::size_t first = 0; first < inputs.size(); first += kLanes) {
    std::vector<Thread> threads(kLanes);
    Lanes lanes;
    for (int lane = 0; lane < kLanes; ++lane) {
      threads[lane].registers = inputs[first + lane];
      lanes.push_back(lane);
    }
    Warp(program, threads).run(program.steps, lanes);
    for (const Thread& thread : threads) {
      Record record = thread.registers;
      record.resize(program.output_slots());
      if (program.uses_memory)
        std::memcpy(&record[program.memory_slot()], thread.memory.data(), sizeof thread.memory);
      outputs.push_back(std::move(record));
    }
  }
  return outputs;
}

}  // namespace fuzz
