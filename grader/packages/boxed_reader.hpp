// Our own small programs that read hostile files: each runs in a box, with the file on a descriptor.
// Internal.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "sandbox/box.hpp"

namespace grader {

/// `program` lies beside the grader's own. Descriptors and limits on time and files are the caller's.
BoxJob boxed_reader(const Sandbox& sandbox, const std::string& program,
                    const std::vector<std::string>& arguments);

/// A file in memory that holds these bytes, at its start; an empty descriptor with errno set when there is no
/// room.
Descriptor file_in_memory(const std::string& bytes);

}  // namespace grader
