#include "policy/machine_code.hpp"

#include <memory>
#include <new>

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

}  // namespace

std::optional<SystemCall> find_system_call(std::span<const std::byte> code) {
  csh decoder = 0;
  if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) != CS_ERR_OK) throw std::bad_alloc();
  const std::unique_ptr<csh, void (*)(csh*)> closing(&decoder, [](csh* one) { cs_close(one); });
  // The decoder skips unknown code (newer vector instructions) byte by byte until it can decode again.
  cs_option(decoder, CS_OPT_SKIPDATA, CS_OPT_ON);
  const std::unique_ptr<cs_insn, void (*)(cs_insn*)> one(cs_malloc(decoder),
                                                         [](cs_insn* insn) { cs_free(insn, 1); });
  if (one == nullptr) throw std::bad_alloc();
  const auto* at = reinterpret_cast<const std::uint8_t*>(code.data());
  std::size_t left = code.size();
  std::uint64_t offset = 0;
  while (left > 0 && cs_disasm_iter(decoder, &at, &left, &offset, one.get()))
    if (enters_system(one->id)) return SystemCall{one->address, one->mnemonic};
  return std::nullopt;
}

}  // namespace grader::policy
