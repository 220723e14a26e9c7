// What most tests include, parsed once (grader/doc/building.md). Nothing includes this file by name.
#pragma once

#include "base/precompiled.hpp"
#include "catch.hpp"
