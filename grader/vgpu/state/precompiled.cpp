// A library needs a source: this one exists for its precompiled header.
#include "vgpu/state/precompiled.hpp"
