// Decoder: operands of warp-wide matrix instructions. Instructions that access memory become several steps:
// one that computes each lane's addresses, ordinary loads or stores at these addresses, and one that moves
// elements between lanes if their order in memory differs. So the accesses are counted, checked and traced
// like others.
#include <fmt/format.h>

#include "vgpu/analysis/matrix_forms.hpp"
#include "vgpu/analysis/spelling.hpp"
#include "vgpu/decode/checked_accesses.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/handlers/matrix_access.hpp"
#include "vgpu/state/access.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kVectorBytes = 4 * kWarpLanes;
constexpr std::size_t kMaxAccesses = 16;  // per fragment; the first scratch vectors have their addresses
constexpr std::size_t kWordsOfRow = 4;    // of ldmatrix

const ptx::Vector& registers_of(const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr) throw Unsupported{"with an operand that is not a vector"};
  return *vector;
}

void require_registers(std::size_t count, std::size_t needed) {
  if (count < needed) throw Unsupported{fmt::format("with {} registers instead of {}", count, needed)};
}

/// The table for arrange(): for each byte of `count` vectors, the number of its source, source(vector, lane,
/// byte).
template <class Source>
std::vector<std::uint32_t> byte_table(std::size_t count, Source source) {
  std::vector<std::uint32_t> table;
  for (std::size_t i = 0; i < count * kVectorBytes; ++i)
    table.push_back(static_cast<std::uint32_t>(
        source(i / kVectorBytes, static_cast<int>(i % kVectorBytes / 4), static_cast<int>(i % 4))));
  return table;
}

std::size_t byte_number(std::size_t vector, int lane, int byte) {
  return vector * kVectorBytes + static_cast<std::size_t>(4 * lane + byte);
}

/// The source of a byte in a register of 16-bit elements when its 8 × 8 block is transposed.
std::size_t transposed_byte(std::size_t vector, int lane, int byte) {
  const LaneElement from = transposed(lane, byte / 2);
  return byte_number(vector, from.lane, 2 * from.element + byte % 2);
}

std::size_t transposed_number(std::size_t number) {
  const auto in_vector = static_cast<int>(number % kVectorBytes);
  return transposed_byte(number / kVectorBytes, in_vector / 4, in_vector % 4);
}

std::vector<std::uint32_t> places_of(const FragmentAccess& access) {
  std::vector<std::uint32_t> places;
  for (int i = 0; i < access.accesses(); ++i) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const Place at = access.place(i, lane);
      places.push_back(access.is_by_columns ? at.column * 256U + at.row : at.row * 256U + at.column);
    }
  }
  return places;
}

/// The table between registers and the order in memory. Transposition is its own inverse, so one table serves
/// both directions. Fragments of bytes are only loaded.
std::vector<std::uint32_t> fragment_table(const FragmentAccess& access) {
  const auto registers = static_cast<std::size_t>(access.fragment.registers());
  if (access.unit == FragmentAccess::Unit::turned) return byte_table(registers, transposed_byte);
  return byte_table(registers, [](std::size_t vector, int lane, int byte) {
    return byte_number(4 * vector + static_cast<std::size_t>(byte), lane, 0);
  });
}

/// The table between registers and rows as lanes load them: word w of row r of matrix i is in vector w, lane
/// 8 i + r.
std::vector<std::uint32_t> row_table(const RowAccess& access) {
  const auto matrices = static_cast<std::size_t>(access.matrices);
  std::vector<std::uint32_t> table((access.is_store ? kWordsOfRow : matrices) * kVectorBytes);
  for (std::size_t i = 0; i < matrices * kVectorBytes; ++i) {
    const std::size_t matrix = i / kVectorBytes;
    const int row = static_cast<int>(i % kVectorBytes / 16), byte = static_cast<int>(i % 16);
    const std::size_t in_rows =
        byte_number(static_cast<std::size_t>(byte / 4), static_cast<int>(8 * matrix) + row, byte % 4);
    const std::size_t plain = byte_number(matrix, 4 * row + byte / 4, byte % 4);
    const std::size_t in_registers = access.is_transposed ? transposed_number(plain) : plain;
    table[access.is_store ? in_rows : in_registers] =
        static_cast<std::uint32_t>(access.is_store ? in_registers : in_rows);
  }
  return table;
}

}  // namespace

/// {d, …}, {a, …}, {b, …}, {c, …}: one list of all registers; d.a, d.b and d.c are the indexes of each
/// operand's first register.
void Decoder::matrix_product(Decoded& d, const Form& form, const ptx::Instruction& instruction) {
  std::vector<std::uint32_t> places;
  std::array<std::uint32_t*, 4> const begins{nullptr, &d.a, &d.b, &d.c};
  if (instruction.operands.size() > begins.size()) throw Unsupported{"with an additional operand"};
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (begins[i] != nullptr) *begins[i] = static_cast<std::uint32_t>(places.size());
    const auto& registers = registers_of(operand(instruction, i)).elements;
    require_registers(registers.size(), form.registers[i]);
    for (const ptx::Operand& one : registers) {
      places.push_back(i == 0 ? operands_.destination(one, form.operands[i])
                              : operands_.source(one, form.operands[i]));
    }
  }
  d.extra = add_list(std::move(places));
}

void Decoder::matrix_access(const ptx::Instruction& instruction) {
  begin_guarded(instruction);
  if (const auto fragment = fragment_access_of(instruction)) {
    fragment_access(*fragment, instruction);
  } else if (const auto rows = row_access_of(instruction)) {
    row_access(*rows, instruction);
  } else {
    throw Unsupported{""};
  }
  end_guarded(instruction);
}

/// wmma.load {r, …}, [p]{, stride} and wmma.store [p], {r, …}{, stride}
void Decoder::fragment_access(const FragmentAccess& access, const ptx::Instruction& instruction) {
  const Lane lane = access.fragment.register_bytes() == 8 ? Lane::b64 : Lane::b32;
  const std::vector<std::uint32_t> all =
      matrix_registers(operand(instruction, access.is_store ? 1 : 0), lane, access.is_store);
  const auto needed = static_cast<std::size_t>(access.fragment.registers());
  require_registers(all.size(), needed);
  const std::vector<std::uint32_t> addresses = fragment_addresses(access, instruction);
  std::vector<std::uint32_t> moved;
  for (std::size_t i = 0; i < addresses.size(); ++i) moved.push_back(operands_.scratch(kMaxAccesses + i));

  const bool is_direct = access.unit == FragmentAccess::Unit::registers;
  const std::span<const std::uint32_t> own(all.data(), needed);
  const std::span<const std::uint32_t> values = is_direct ? own : std::span<const std::uint32_t>(moved);
  if (access.is_store && !is_direct) add_arrangement(own, values, fragment_table(access));
  const auto at_once = static_cast<std::size_t>(access.registers_per_access);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    add_access({.space = space_of(instruction),
                .is_store = access.is_store,
                .element_bytes = static_cast<std::uint8_t>(access.element_bytes()),
                .elements = static_cast<std::uint8_t>(at_once)},
               addresses[i], values.subspan(i * at_once, at_once), kFullMask);
  }
  if (access.is_store) return;
  if (!is_direct) add_arrangement(values, own, fragment_table(access));
  // Fragments of halves can have more registers than they need; the additional ones repeat the first.
  for (std::size_t i = needed; i < all.size(); i += needed) {
    const std::size_t count = std::min(needed, all.size() - i);
    add_arrangement(own, std::span<const std::uint32_t>(all).subspan(i, count),
                    byte_table(count, byte_number));
  }
}

std::vector<std::uint32_t> Decoder::matrix_registers(const ptx::Operand& operand, Lane lane, bool is_read) {
  std::vector<std::uint32_t> registers;
  for (const ptx::Operand& one : registers_of(operand).elements)
    registers.push_back(is_read ? operands_.source(one, lane) : operands_.destination(one, lane));
  return registers;
}

/// Emits the step that computes the addresses; returns the vectors that receive them.
std::vector<std::uint32_t> Decoder::fragment_addresses(const FragmentAccess& access,
                                                       const ptx::Instruction& instruction) {
  Decoded d;
  const bool is_wide = address(d, operand(instruction, access.is_store ? 0 : 1));
  d.b = instruction.operands.size() > 2
            ? operands_.source(instruction.operands[2], Lane::b32)
            : operands_.constant(static_cast<std::uint64_t>(access.default_stride()), 4);
  std::vector<std::uint32_t> places{is_wide ? 1U : 0U, access.is_store ? 1U : 0U,
                                    static_cast<std::uint32_t>(space_of(instruction)),
                                    static_cast<std::uint32_t>(access.fragment.element_bytes),
                                    static_cast<std::uint32_t>(access.alignment())};
  for (const std::uint32_t place : places_of(access)) places.push_back(place);
  d.c = add_list(std::move(places));
  std::vector<std::uint32_t> addresses;
  for (std::size_t i = 0; i < static_cast<std::size_t>(access.accesses()); ++i)
    addresses.push_back(operands_.scratch(i));
  d.extra = add_list(addresses);
  add_step(d, locate_fragment, InstructionClass::memory);
  return addresses;
}

/// ldmatrix {r, …}, [p] and stmatrix [p], {r, …}: lanes load rows of 16 bytes, and the four lanes of a
/// group receive each row's 8 elements.
void Decoder::row_access(const RowAccess& access, const ptx::Instruction& instruction) {
  const std::vector<std::uint32_t> registers =
      matrix_registers(operand(instruction, access.is_store ? 1 : 0), Lane::b32, access.is_store);
  if (registers.size() != static_cast<std::size_t>(access.matrices))
    throw Unsupported{"with vectors of these lengths"};
  Decoded d;
  d.option = AddressOption{.is_wide = address(d, operand(instruction, access.is_store ? 0 : 1)),
                           .is_generic = space_of(instruction) != ptx::Space::shared}
                 .packed();
  d.dst = operands_.scratch();
  add_step(d, locate_rows, InstructionClass::memory);

  std::array<std::uint32_t, kWordsOfRow> words;
  for (std::size_t i = 0; i < kWordsOfRow; ++i) words[i] = operands_.scratch(1 + i);
  const std::uint32_t lanes = kFullMask >> static_cast<unsigned>(kWarpLanes - 8 * access.matrices);
  const AccessSite site{
      .space = ptx::Space::shared, .is_store = access.is_store, .element_bytes = 4, .elements = kWordsOfRow};
  if (access.is_store) {
    add_arrangement(registers, words, row_table(access));
    add_access(site, operands_.scratch(), words, lanes);
  } else {
    add_access(site, operands_.scratch(), words, lanes);
    add_arrangement(words, registers, row_table(access));
  }
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a
void Decoder::move_matrix(Decoded& d, const ptx::Instruction& instruction) {
  if (table_name(instruction) != "movmatrix.sync.m8n8.trans.b16") throw Unsupported{""};
  d.extra = add_list({1, 1, operands_.source(operand(instruction, 1), Lane::b32),
                      operands_.destination(operand(instruction, 0), Lane::b32)});
  d.b = add_list(byte_table(1, transposed_byte));
  d.run = arrange;
  d.counted_as = static_cast<std::uint8_t>(InstructionClass::warp);
}

Decoded& Decoder::add_step(Decoded d, Handler handler, InstructionClass counted_as) {
  d.run = handler;
  d.origin = origin_;
  d.counted_as = static_cast<std::uint8_t>(counted_as);
  program_.code.push_back(d);
  return program_.code.back();
}

/// Emits a step that is not counted as an instruction.
void Decoder::add_arrangement(std::span<const std::uint32_t> sources, std::span<const std::uint32_t> targets,
                              std::vector<std::uint32_t> table) {
  std::vector<std::uint32_t> vectors{static_cast<std::uint32_t>(sources.size()),
                                     static_cast<std::uint32_t>(targets.size())};
  vectors.insert(vectors.end(), sources.begin(), sources.end());
  vectors.insert(vectors.end(), targets.begin(), targets.end());
  Decoded d;
  d.extra = add_list(std::move(vectors));
  d.b = add_list(std::move(table));
  add_step(d, arrange, InstructionClass::memory).counted_as = kUncountedClass;
}

/// Emits an ordinary load or store of some lanes, at addresses of 8 bytes.
void Decoder::add_access(AccessSite site, std::uint32_t addresses, std::span<const std::uint32_t> values,
                         std::uint32_t lanes) {
  const std::string_view space = site.space == ptx::Space::shared   ? ".shared"
                                 : site.space == ptx::Space::global ? ".global"
                                                                    : "";
  const Form& form = form_named(fmt::format("{}{}{}.b{}", site.is_store ? "st" : "ld", space,
                                            site.elements == 1 ? "" : fmt::format(".v{}", site.elements),
                                            8 * site.element_bytes));
  site.has_wide_address = true;
  site.has_wide_value = site.element_bytes == 8;
  Decoded d;
  d.a = addresses;
  d.dst = values[0];
  d.extra = values.size() == 1 ? kNowhere : add_list({values.begin(), values.end()});
  d.memo = program_.memo_count++;
  d.option = AccessOption{.is_traced = tracing_ == Tracing::on}.packed();
  Handler handler = form.memory[site.has_wide_value ? 3 : 2];
  if (lanes != kFullMask) {
    d.guarded = handler;
    d.guard = operands_.constant(lanes, sizeof lanes);  // in the form of a predicate: one bit per lane
    handler = control::guard;
  }
  add_step(d, handler, InstructionClass::memory).counted_as = kUncountedClass;
  if (watching_ == Watching::on) observe(program_, site);
}

}  // namespace vgpu::exec
