// Handles faults of host code. After a fault at closed memory (host_guard.hpp), the program continues. Other
// faults end the program; the handler first prints their source line, and whether host code dereferenced a
// device pointer. After such a fault or abort(), the program's own device prints its report before the
// program ends.
#pragma once

namespace vgpu::cudart::client {

/// Installs the handlers; called once, after connecting to a device. Does not replace handlers of the
/// program.
void handle_host_faults();

/// Whether the handlers are still installed. The program can have replaced them.
bool handles_host_faults();

}  // namespace vgpu::cudart::client
