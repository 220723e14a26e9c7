#include "vgpu/analysis/speculated_loads.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "vgpu/analysis/liveness.hpp"
#include "vgpu/analysis/spelling.hpp"

namespace vgpu::exec {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Register;

const Register* register_in(const Instruction& instruction, std::size_t operand) {
  if (operand >= instruction.operands.size()) return nullptr;
  return std::get_if<Register>(&instruction.operands[operand].value);
}

class LoadSearch {
 public:
  explicit LoadSearch(const ptx::Function& function)
      : function_(function), reads_(function.registers.size()), writes_(function.registers.size()) {
    for (std::uint32_t i = 0; i < code().size(); ++i) {
      const Uses uses = uses_of(code()[i]);
      for (const std::uint32_t one : uses.reads) reads_[one].push_back(i);
      for (const std::uint32_t one : uses.writes) writes_[one].push_back(i);
    }
    for (const ptx::Label& label : function.labels) labels_.push_back(label.target);
    std::sort(labels_.begin(), labels_.end());
  }

  std::map<std::uint32_t, Readers> run() const {
    std::map<std::uint32_t, Readers> found;
    for (std::uint32_t i = 0; i < code().size(); ++i)
      if (is_plain_load(code()[i]))
        if (const auto readers = readers_of(i)) found.emplace(i, *readers);
    return found;
  }

 private:
  const std::vector<Instruction>& code() const { return function_.code; }

  static bool is_plain_load(const Instruction& instruction) {
    const ptx::Space space = space_of(instruction);
    return instruction.opcode == Opcode::ld && !instruction.guard && !is_strong(instruction) &&
           (space == ptx::Space::shared || space == ptx::Space::global) &&
           register_in(instruction, 0) != nullptr;
  }

  /// No label and no change of control between two instructions, of which the first can be neither.
  bool are_in_one_block(std::uint32_t first, std::uint32_t last) const {
    if (first > last) return false;
    const auto label = std::upper_bound(labels_.begin(), labels_.end(), first);
    if (label != labels_.end() && *label <= last) return false;
    return std::none_of(code().begin() + first, code().begin() + last, [](const Instruction& one) {
      const ptx::Role role = one.traits().role;
      return role == ptx::Role::branch || role == ptx::Role::indexed_branch || role == ptx::Role::leave;
    });
  }

  bool is_written_before(const Register& predicate, std::uint32_t load) const {
    const auto& writes = writes_[predicate.index];
    return writes.size() == 1 && writes.front() < load;
  }

  std::optional<Readers> readers_of(std::uint32_t load) const {
    std::uint32_t value = register_in(code()[load], 0)->index, at = load;
    constexpr int kMostSteps = 4;  // conversions, masks of a bool
    for (int i = 0; i < kMostSteps; ++i) {
      const auto& reads = reads_[value];
      if (writes_[value].size() != 1 || reads.empty() || !are_in_one_block(at, reads.front()))
        return std::nullopt;
      at = reads.front();
      const Instruction& reader = code()[at];
      const bool is_only_reader = reads.size() == 1;
      if (reader.guard) return std::nullopt;
      if (reader.opcode == Opcode::selp) return is_only_reader ? selected_by(at, value, load) : std::nullopt;
      if (reader.opcode == Opcode::setp) return decided_by(at, value, load);
      const Register* result = register_in(reader, 0);
      const bool is_step = reader.opcode == Opcode::cvt || reader.opcode == Opcode::mov ||
                           reader.opcode == Opcode::and_ || reader.opcode == Opcode::add;
      if (!is_only_reader || !is_step || result == nullptr) return std::nullopt;
      value = result->index;
    }
    return std::nullopt;
  }

  /// selp a, value, other, predicate.
  std::optional<Readers> selected_by(std::uint32_t selp, std::uint32_t value, std::uint32_t load) const {
    const Register *first = register_in(code()[selp], 1), *second = register_in(code()[selp], 2);
    const Register* predicate = register_in(code()[selp], 3);
    if (predicate == nullptr || !is_written_before(*predicate, load)) return std::nullopt;
    const bool is_first = first != nullptr && first->index == value;
    const bool is_second = second != nullptr && second->index == value;
    if (is_first == is_second) return std::nullopt;
    return Readers{*predicate, is_first};
  }

  /// setp compared, value, …; or.pred both, predicate, compared; @both bra …
  std::optional<Readers> decided_by(std::uint32_t setp, std::uint32_t value, std::uint32_t load) const {
    const Register* compared = register_in(code()[setp], 0);
    if (compared == nullptr || code()[setp].operands.size() != 3) return std::nullopt;
    const auto& reads = reads_[compared->index];
    if (writes_[compared->index].size() != 1 || reads.size() != 1 || !are_in_one_block(setp, reads.front()))
      return std::nullopt;
    const Instruction& both = code()[reads.front()];
    const bool is_or = both.opcode == Opcode::or_, is_and = both.opcode == Opcode::and_;
    if (both.guard || (!is_or && !is_and) || type_of(both) != ptx::Type::pred) return std::nullopt;
    const Register *result = register_in(both, 0), *left = register_in(both, 1),
                   *right = register_in(both, 2);
    if (result == nullptr || left == nullptr || right == nullptr) return std::nullopt;
    const Register& predicate = left->index == compared->index ? *right : *left;
    if (predicate.index == compared->index || !is_written_before(predicate, load)) return std::nullopt;
    if (!are_left_out(setp, value, reads.front(), result->index, is_or)) return std::nullopt;
    return Readers{predicate, is_and};
  }

  static const std::string* target_of(const Instruction& one) {
    const auto* symbol = one.operands.empty() ? nullptr : std::get_if<ptx::Symbol>(&one.operands[0].value);
    return one.traits().role == ptx::Role::branch && symbol != nullptr ? &symbol->name : nullptr;
  }

  /// `bra.uni next; next:`, to which nothing else leads: so clang begins the code under a condition.
  bool is_jump_to_next(std::uint32_t at) const {
    const std::string* target = at < code().size() && !code()[at].guard ? target_of(code()[at]) : nullptr;
    if (target == nullptr || !function_.branch_targets.empty()) return false;
    if (std::count(labels_.begin(), labels_.end(), at + 1) != 1) return false;
    const bool is_next =
        std::any_of(function_.labels.begin(), function_.labels.end(),
                    [&](const ptx::Label& label) { return label.target == at + 1 && label.name == *target; });
    return is_next && std::count_if(code().begin(), code().end(), [&](const Instruction& one) {
                        const std::string* other = target_of(one);
                        return other != nullptr && *other == *target;
                      }) == 1;
  }

  /// Whether lanes for which `both` alone is decided reach no other reader of the value: the branch by its
  /// result leads them elsewhere.
  bool are_left_out(std::uint32_t setp, std::uint32_t value, std::uint32_t both, std::uint32_t result,
                    bool decided) const {
    const auto& readers = reads_[value];
    if (readers.size() == 1) return true;
    std::uint32_t branch = both + 1;
    while (branch < code().size() && code()[branch].traits().role != ptx::Role::branch) ++branch;
    if (branch >= code().size() || !are_in_one_block(both, branch)) return false;
    const Instruction& one = code()[branch];
    const bool leaves = one.guard && one.guard->predicate.index == result && one.guard->negated != decided;
    const bool can_come_from_elsewhere = std::binary_search(labels_.begin(), labels_.end(), branch + 1);
    const std::uint32_t body = is_jump_to_next(branch + 1) ? branch + 2 : branch + 1;
    return leaves && writes_[result].size() == 1 && !can_come_from_elsewhere &&
           std::all_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
             return reader == setp || (reader >= body && are_in_one_block(body, reader));
           });
  }

  const ptx::Function& function_;
  std::vector<std::vector<std::uint32_t>> reads_, writes_;  ///< instructions, by register
  std::vector<std::uint32_t> labels_;                       ///< sorted
};

}  // namespace

std::map<std::uint32_t, Readers> speculated_loads(const ptx::Function& function) {
  const auto combines = [](const Instruction& one) {
    return one.opcode == Opcode::selp ||
           ((one.opcode == Opcode::or_ || one.opcode == Opcode::and_) && type_of(one) == ptx::Type::pred);
  };
  if (std::none_of(function.code.begin(), function.code.end(), combines)) return {};
  return LoadSearch(function).run();
}

}  // namespace vgpu::exec
