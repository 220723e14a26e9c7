#include "packing/skeletons.hpp"

#include <filesystem>

#include "base/files.hpp"
#include "base/sha256.hpp"

namespace grader {

bool is_skeleton(const KitPaths& kit, const Lab& lab, const std::string& source) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
  const std::string digest = sha256_hex(source);
  // A digest is in no text by accident, so that neither file has to be parsed.
  for (const std::filesystem::path& file :
       {kit.root / kSkeletonDigests, kit.root / "solutions" / lab.id / "expected.json"})
    if (const auto text = read_file(file, kMaxBytes); text && text->find(digest) != std::string::npos)
      return true;
  return false;
}

}  // namespace grader
