// A target needs a source for its precompiled header.
#include "precompiled.hpp"
