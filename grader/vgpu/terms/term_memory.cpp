#include "vgpu/terms/term_memory.hpp"

namespace vgpu::exec {

TermId TermMemory::add(Term term) {
  if (terms_.nodes.size() >= kMaxNodes) give_up();
  if (!terms_.is_complete) return 0;
  terms_.nodes.push_back(term);
  return static_cast<TermId>(terms_.nodes.size() - 1);
}

bool TermMemory::has_room_for(std::size_t bytes) {
  if (bytes / sizeof(std::uint32_t) + words_.size() > kMaxNodes) give_up();
  return terms_.is_complete;
}

TermId TermMemory::at(std::uint64_t address, std::uint32_t bits) {
  if (!terms_.is_complete) return 0;
  const auto known = words_.find(address);
  if (known != words_.end()) return known->second;
  terms_.words.push_back({address, bits});
  return words_[address] = add({Term::Kind::word, static_cast<TermId>(terms_.words.size() - 1), 0});
}

TermId TermMemory::combined(Term::Kind kind, TermId left, TermId right) { return add({kind, left, right}); }

TermId TermMemory::applied(Term::Function function, TermId operand) {
  return add({Term::Kind::function, operand, static_cast<std::uint32_t>(function)});
}

TermId TermMemory::constant(double value) {
  terms_.constants.push_back(value);
  return add({Term::Kind::constant, static_cast<TermId>(terms_.constants.size() - 1), 0});
}

void TermMemory::commit(StoredTerms stored) {
  if (!has_room_for((stored.words.size() + stored.updates.size()) * sizeof(std::uint32_t))) return;
  for (const auto& [address, term] : stored.words) words_[address] = term;
  for (const StoredTerms::Update& one : stored.updates) {
    TermId& word = words_[one.address];  // of a counter that was filled: 0
    word = word == 0 || one.term == 0 ? word + one.term : combined(one.kind, word, one.term);
  }
}

void TermMemory::forget(std::uint64_t start, std::size_t bytes) {
  if (!terms_.is_complete || words_.empty()) return;
  if (bytes / sizeof(std::uint32_t) > words_.size()) {
    std::erase_if(words_, [&](const auto& word) { return word.first - start < bytes; });
    return;
  }
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint32_t)) words_.erase(start + i);
}

void TermMemory::fill(std::uint64_t start, std::size_t bytes) {
  if (!has_room_for(bytes)) return;
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint32_t)) words_[start + i] = 0;
}

std::vector<TermId> TermMemory::of_range(std::uint64_t start, std::size_t bytes) const {
  std::vector<TermId> terms(bytes / sizeof(std::uint32_t));
  for (std::size_t i = 0; terms_.is_complete && i < terms.size(); ++i) {
    const auto known = words_.find(start + i * sizeof(std::uint32_t));
    if (known != words_.end()) terms[i] = known->second;
  }
  return terms;
}

}  // namespace vgpu::exec
