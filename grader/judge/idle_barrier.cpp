#include "judge/idle_barrier.hpp"

#include <fmt/format.h>

#include "judge/source_hints.hpp"

namespace grader {

std::optional<IdleBarrier> idle_barrier(const vgpu::Fault& race, const SourceText& source) {
  if (const auto line = barrier_without_call(source, race.file, race.source.line))
    return IdleBarrier{
        fmt::format("line {} names __syncthreads without parentheses, which calls nothing", *line),
        "write __syncthreads();"};
  const bool is_one_file = race.other && race.other->file == race.file;
  const auto line = is_one_file
                        ? barrier_in_condition(source, race.file, race.other->source.line, race.source.line)
                        : std::nullopt;
  if (!line) return std::nullopt;
  return IdleBarrier{
      fmt::format("the barrier in line {} is under a condition: where it is false, threads do not wait "
                  "for each other",
                  *line),
      "call __syncthreads() outside of the condition, so that all threads of the block reach it "
      "each time"};
}

}  // namespace grader
