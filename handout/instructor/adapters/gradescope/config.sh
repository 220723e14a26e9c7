# shellcheck shell=bash disable=SC2034  # read by run_autograder and setup.sh
LAB=02-tiled-matmul                        # the lab of this assignment
KIT=${AUTOGRADER_ROOT:-/autograder}/source/kit # the kit's checkout
WARPGRADE=$KIT/build/virtual/bin/warpgrade
WARPGRADE_GRADE_OPTIONS="--device virtual --jobs 1"
