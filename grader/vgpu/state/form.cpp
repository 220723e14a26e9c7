#include "vgpu/state/form.hpp"

namespace vgpu::exec {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

Form& FormTable::operator[](std::initializer_list<std::string_view> parts) { return forms_[joined(parts)]; }

Form& FormTable::operator[](std::string_view spelling) { return forms_[std::string(spelling)]; }

const Form* FormTable::find(const std::string& spelling) const {
  const auto found = forms_.find(spelling);
  return found == forms_.end() ? nullptr : &found->second;
}

}  // namespace vgpu::exec
