#!/usr/bin/env bash
# Gradescope runs this once, when the image is built: installs what the kit needs and builds the kit.
set -euo pipefail

# shellcheck source=/dev/null
source "${AUTOGRADER_ROOT:-/autograder}/source/config.sh"
cd "$KIT"
grader/setup.sh
cmake --preset virtual -DWARPGRADE_TESTS=OFF
cmake --build build/virtual
# Submissions are graded elsewhere than the image is built: what is missing here may be there.
if ! "$WARPGRADE" doctor; then
  echo "note: grading needs what doctor misses, where Gradescope runs it" >&2
fi
