#include "judge/launch_configuration.hpp"

#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "judge/argument_lists.hpp"
#include "judge/code_text.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

/// Lower case, without underscores; "" if the text is not a name.
std::string bare_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (!is_word_character(c)) return "";
    if (c != '_') name.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return name;
}

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string::npos; }

/// As programs name a grid: grid, dim_grid, blocks, numBlocks, blocksPerGrid.
bool names_grid(std::string_view name) {
  return has_part(name, "grid") || (has_part(name, "blocks") && !has_part(name, "blocksize"));
}

/// As programs name a block: block, dimBlock, block_size, kThreads, threadsPerBlock.
bool names_block(std::string_view name) {
  return !names_grid(name) && (has_part(name, "thread") || has_part(name, "block"));
}

/// The kernel uses threadIdx.y, but the blocks have only one row of threads.
FoundMistake flat_blocks(const SourceText& source, Launches launches) {
  for (const vgpu::LaunchRecord* launch : launches) {
    if (!is_flat(*launch)) continue;
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = use_in(source, kernel, "threadIdx.y");
    if (!line) continue;
    return VisibleMistake{
        *line,
        fmt::format("`{}` uses threadIdx.y (line {}), but the launch has blocks of {} × 1 threads, in which "
                    "threadIdx.y is always 0",
                    kernel, *line, launch->block.x),
        "give the launch a block with rows and columns, dim3 block(columns, rows), or use threadIdx.x only"};
  }
  return std::nullopt;
}

/// The launch has a second argument that can have other values: a name, or what a function returns.
bool computes_block(const SourceText& source, const std::string& kernel, std::string_view entry) {
  const auto line = launch_of(source, kernel, entry);
  const auto arguments = line ? configuration_in(source, *line) : std::vector<std::string>{};
  return arguments.size() > 1 && arguments[1] != "1";
}

/// kernel<<<blocks>>>(…), which nvcc accepts: the blocks have one thread, but the kernel uses threadIdx.x.
FoundMistake blocks_of_one_thread(const SourceText& source, Launches launches, std::string_view entry) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const bool is_single = launch->block.count() == 1 && launch->grid.count() > 1;
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = is_single ? use_in(source, kernel, "threadIdx.x") : std::nullopt;
    if (!line || computes_block(source, kernel, entry)) continue;
    return VisibleMistake{
        *line,
        fmt::format("`{}` uses threadIdx.x (line {}), but is launched with {} blocks of one thread, in which "
                    "threadIdx.x is always 0",
                    kernel, *line, launch->grid.count()),
        "give the launch blocks and threads: kernel<<<blocks, threads>>>(…)"};
  }
  return std::nullopt;
}

/// A grid with several blocks along an axis whose blockIdx the kernel does not name: they do the same work.
FoundMistake blocks_of_unused_axis(const SourceText& source, Launches launches, std::string_view entry) {
  for (const vgpu::LaunchRecord* launch : launches)
    for (const auto& [axis, blocks] : {std::pair('y', launch->grid.y), std::pair('z', launch->grid.z)}) {
      if (blocks < 2) continue;
      const std::string kernel = kernel_name(launch->kernel), index = fmt::format("blockIdx.{}", axis);
      const auto line = launch_of(source, kernel, entry);
      if (!line || use_in(source, kernel, index) || !use_in(source, kernel, "blockIdx")) continue;
      return VisibleMistake{
          *line,
          fmt::format("the launch in line {} has {} blocks along {}, but `{}` does not use {}: these blocks "
                      "have the same indices",
                      *line, blocks, axis, kernel, index),
          fmt::format("launch the blocks along an axis that `{}` uses, or compute an index with {}", kernel,
                      index)};
    }
  return std::nullopt;
}

}  // namespace

bool is_flat(const vgpu::LaunchRecord& launch) { return launch.block.y == 1 && launch.block.x > 1; }

FoundMistake exchanged_grid(const SourceText& source, Launches launches, std::string_view entry) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const auto line = launch_of(source, kernel_name(launch->kernel), entry);
    const auto arguments = line ? configuration_in(source, *line) : std::vector<std::string>{};
    if (arguments.size() < 2) continue;
    if (!names_block(bare_name(arguments[0])) || !names_grid(bare_name(arguments[1]))) continue;
    return VisibleMistake{
        *line,
        fmt::format("the launch in line {} has `{}` for the grid and `{}` for the block: the first argument "
                    "is the number of blocks, the second the number of threads per block",
                    *line, arguments[0], arguments[1]),
        fmt::format("exchange them: <<<{}, {}>>>", arguments[1], arguments[0])};
  }
  return std::nullopt;
}

FoundMistake unused_rows_of_block(const SourceText& source, Launches launches) {
  for (const vgpu::LaunchRecord* launch : launches) {
    const std::string kernel = kernel_name(launch->kernel);
    const auto line = launch->block.y > 1 ? use_in(source, kernel, "threadIdx.x") : std::nullopt;
    const bool reads_all =
        use_in(source, kernel, "threadIdx.y") || use_in(source, kernel, "thread_rank") ||
        occurrences_in(source, kernel, "threadIdx") != occurrences_in(source, kernel, "threadIdx.x");
    if (!line || reads_all) continue;
    return VisibleMistake{
        *line,
        fmt::format(
            "the launch has blocks of {} × {} threads, but `{}` reads threadIdx.x only (first in line "
            "{}): the {} rows of threads all do the same",
            launch->block.x, launch->block.y, kernel, *line, launch->block.y),
        "compute the row with threadIdx.y, the column with threadIdx.x"};
  }
  return std::nullopt;
}

FoundMistake mistake_of_configuration(const SourceText& source, Launches launches, std::string_view entry) {
  if (auto found = exchanged_grid(source, launches, entry)) return found;
  if (auto found = flat_blocks(source, launches)) return found;
  if (auto found = blocks_of_one_thread(source, launches, entry)) return found;
  return blocks_of_unused_axis(source, launches, entry);
}

}  // namespace grader
