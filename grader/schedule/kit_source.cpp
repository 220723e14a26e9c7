#include "schedule/kit_source.hpp"

#include "base/sealed_text.hpp"

namespace grader {

KitSource::KitSource(const std::filesystem::path& source) : path_(source) {
  std::error_code error;
  if (std::filesystem::exists(source, error)) return;
  const auto bytes = read_file(std::filesystem::path(source).replace_extension(".sealed"), kMaxSourceBytes);
  if (!bytes) return;
  folder_.emplace("warpgrade-kit");
  const std::filesystem::path copy = folder_->path() / source.filename();
  if (write_file_atomically(copy, sealed(*bytes))) path_ = copy;
}

}  // namespace grader
