# shellcheck shell=bash disable=SC2034  # read by run_autograder and setup.sh
LAB=02-tiled-matmul                        # the lab of this assignment
KIT=${AUTOGRADER_ROOT:-/autograder}/source/kit # the kit's checkout
WARPGRADE=$KIT/build/virtual/bin/warpgrade
WARPGRADE_GRADE_OPTIONS="--device virtual --jobs 1"

# Without SEED_FILE every submission is graded with the inputs of lab.json, which students have.
SEED_FILE=          # secret bytes for other inputs: make_zip.sh sets it
HIDDEN_RUNS=        # runs with secret inputs within HIDDEN_RUN_HOURS before a submission; empty: no limit
HIDDEN_RUN_HOURS=24
