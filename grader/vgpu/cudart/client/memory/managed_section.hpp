// Recognises __managed__ variables of programs that clang compiled. For clang, they are __device__ variables
// whose host copies are in a section of their own (include/host_defines.h). Covered by
// tests/cudart/programs_test.cpp.
#pragma once

namespace vgpu::cudart::client {

/// True if the variable is in its file's section "kit_managed". Reads the section table of the file that
/// contains the variable, because loaded programs have none.
bool is_in_managed_section(const void* variable);

}  // namespace vgpu::cudart::client
