// The keys of a profile: the member that each sets, its values, and its meaning. Profiles are read and listed
// with this table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "vgpu/model/profile.hpp"

namespace vgpu {

struct ProfileField {
  std::string key;
  std::string meaning;
  bool required = false;
  /// Sets the member. Returns an empty string, or a description of the expected value.
  std::function<std::string(const nlohmann::ordered_json&, Profile&)> read;
  std::function<nlohmann::ordered_json(const Profile&)> value;
};

const std::vector<ProfileField>& profile_fields();

}  // namespace vgpu
