// Every key of a profile: which member it sets, which values it takes, what it means. Reading a profile and
// listing one for people are made from this table.
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
  /// Sets the member; not empty: what the value should be.
  std::function<std::string(const nlohmann::json&, Profile&)> read;
  std::function<nlohmann::json(const Profile&)> value;
};

const std::vector<ProfileField>& profile_fields();

}  // namespace vgpu
