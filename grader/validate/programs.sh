# shellcheck shell=bash
# programs.sh, to be sourced: the programs with which the virtual GPU is compared with a real GPU, and the source
# files of each. `course` has the course's kernels, `textures` has fetches and surface accesses; `lab_NN_solution` and
# `lab_NN_baseline` are those of each lab (labs/lab_driver.cuh); `kernel_times` and `overlap` are measured only.

kit=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
validate=$kit/grader/validate

labs=()
for driver in "$validate"/labs/lab_*.cu; do labs+=("$(basename "$driver" .cu)"); done

programs_of() { # programs_of NAME…: prints one program per line; "labs": both of every lab, "lab_NN": both of one lab
  local name
  for name in "$@"; do
    case $name in
      labs) programs_of "${labs[@]}" ;;
      lab_*_*) echo "$name" ;;
      lab_*) printf '%s\n' "${name}_solution" "${name}_baseline" ;;
      *) echo "$name" ;;
    esac
  done
}

sources_of() { # sources_of PROGRAM: prints its source files, one per line
  local lab solution
  case $1 in
    course) echo "$kit/grader/tests/kernels/course/course.cu" ;;
    lab_*)
      lab=${1%_*}
      solution=$(echo "$kit/solutions/${lab#lab_}"-*/*.cu)
      echo "$validate/labs/$lab.cu"
      case $1 in
        *_solution) echo "$solution" ;;
        *_baseline) echo "$kit/grader/workloads/$(basename "$solution" .cu)/naive.cu" ;;
      esac ;;
    *) echo "$validate/$1.cu" ;;
  esac
}

compile() { # compile PROGRAM OUTPUT COMPILER…
  local sources
  mapfile -t sources < <(sources_of "$1")
  "${@:3}" -O3 -std=c++17 -I "$kit/labs/include" -I "$kit/grader" -o "$2" "${sources[@]}"
}

compile_on_gpu() { # compile_on_gpu FOLDER PROGRAM…: with this machine's nvcc, in parallel; set CUDA_ARCH if not native
  local folder=$1 program
  shift
  for program in "$@"; do
    compile "$program" "$folder/$program" nvcc -arch="${CUDA_ARCH:-native}" -lineinfo &
  done
  wait
}
