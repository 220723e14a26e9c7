// Runs the kit's small programs that read hostile files. Each runs in a sandbox and gets the file as a
// descriptor. Internal.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "sandbox/box.hpp"

namespace grader {

/// `program` is in the folder of the grader's program. The caller adds descriptors and the limits on time and
/// files.
BoxJob boxed_reader(const Sandbox& sandbox, const std::string& program,
                    const std::vector<std::string>& arguments);

/// A file in memory with these bytes, positioned at its start. On failure the descriptor is empty and errno
/// is set.
Descriptor file_in_memory(const std::string& bytes);

}  // namespace grader
