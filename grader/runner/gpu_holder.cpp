#include "runner/gpu_holder.hpp"

#include <chrono>
#include <system_error>

#include <sys/socket.h>

namespace grader {

GpuHolder::GpuHolder(const Sandbox& sandbox, BoxJob job) {
  job.limits.wall = std::chrono::hours(24 * 30);  // a class can take days
  try {
    program_.emplace(sandbox, std::move(job), std::nullopt);
  } catch (const std::system_error&) {  // no sockets or threads left
  }
}

GpuHolder::~GpuHolder() { finish(); }

std::optional<BoxResult> GpuHolder::finish() {
  if (!program_) return std::nullopt;
  ::shutdown(program_->channel(), SHUT_RDWR);  // the program waits for the end of the channel
  program_->finish();
  return program_->box() ? std::optional(*program_->box()) : std::nullopt;
}

}  // namespace grader
