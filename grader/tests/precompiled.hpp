// Precompiled header: headers that most tests include (grader/doc/building.md). No file includes it by name.
#pragma once

#include "base/precompiled.hpp"
#include "catch.hpp"
