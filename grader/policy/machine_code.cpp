#include "policy/machine_code.hpp"

#include <memory>
#include <new>
#include <vector>

#include <capstone/capstone.h>

namespace grader::policy {
namespace {

bool enters_system(unsigned instruction) {
  switch (instruction) {
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
    case X86_INS_INT:
    case X86_INS_INTO:
    case X86_INS_IN:
    case X86_INS_OUT:
    case X86_INS_VMCALL:
      return true;
    default:
      return false;
  }
}

class Disassembly {
 public:
  explicit Disassembly(std::span<const std::byte> code) : code_(code), is_start_(code.size(), false) {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder_) != CS_ERR_OK) throw std::bad_alloc();
    closing_.reset(&decoder_);
    // The decoder skips unknown code (newer vector instructions) byte by byte until it can decode again.
    cs_option(decoder_, CS_OPT_SKIPDATA, CS_OPT_ON);
    cs_option(decoder_, CS_OPT_DETAIL, CS_OPT_ON);  // operands
    one_.reset(cs_malloc(decoder_));
    if (one_ == nullptr) throw std::bad_alloc();
  }

  /// Decodes from the offset up to the code's end, or to an instruction that was decoded before. Jumps are
  /// not taken: the code after an unconditional jump is decoded, too, because other code leads there.
  std::optional<SystemCall> decode_from(std::uint64_t offset) {
    while (offset < code_.size() && !is_start_[offset]) {
      const auto* at = reinterpret_cast<const std::uint8_t*>(code_.data()) + offset;
      std::size_t left = code_.size() - offset;
      is_start_[offset] = true;
      if (!cs_disasm_iter(decoder_, &at, &left, &offset, one_.get())) break;
      if (enters_system(one_->id)) return SystemCall{one_->address, one_->mnemonic};
      note_targets();
    }
    return std::nullopt;
  }

  /// Adds an offset to be decoded if it is in the middle of an instruction.
  void add_entry(std::uint64_t offset) {
    if (offset < code_.size()) pending_.push_back(offset);
  }

  std::optional<SystemCall> decode_entries() {
    while (!pending_.empty()) {
      const std::uint64_t entry = pending_.back();
      pending_.pop_back();
      if (auto call = decode_from(entry)) return call;
    }
    return std::nullopt;
  }

 private:
  /// Notes where the instruction jumps and which addresses it computes from its own. In an object file,
  /// operands that refer to another section are 0 until the linker fills them in: they seem to mean the next
  /// instruction, which does no harm.
  void note_targets() {
    if (one_->id == 0) return;  // skipped bytes
    const bool is_branch =
        cs_insn_group(decoder_, one_.get(), CS_GRP_JUMP) || cs_insn_group(decoder_, one_.get(), CS_GRP_CALL);
    for (std::size_t i = 0; i < one_->detail->x86.op_count; ++i) {
      const cs_x86_op& operand = one_->detail->x86.operands[i];
      if (is_branch && operand.type == X86_OP_IMM) add_entry(static_cast<std::uint64_t>(operand.imm));
      if (operand.type == X86_OP_MEM && operand.mem.base == X86_REG_RIP)
        add_entry(one_->address + one_->size + static_cast<std::uint64_t>(operand.mem.disp));
    }
  }

  std::span<const std::byte> code_;
  std::vector<bool> is_start_;  ///< by offset: an instruction begins here
  std::vector<std::uint64_t> pending_;
  csh decoder_ = 0;
  std::unique_ptr<csh, void (*)(csh*)> closing_{nullptr, [](csh* one) { cs_close(one); }};
  std::unique_ptr<cs_insn, void (*)(cs_insn*)> one_{nullptr, [](cs_insn* insn) { cs_free(insn, 1); }};
};

}  // namespace

std::optional<SystemCall> find_system_call(std::span<const std::byte> code,
                                           std::span<const std::uint64_t> entries) {
  Disassembly disassembly(code);
  if (auto call = disassembly.decode_from(0)) return call;
  for (const std::uint64_t entry : entries) disassembly.add_entry(entry);
  return disassembly.decode_entries();
}

}  // namespace grader::policy
