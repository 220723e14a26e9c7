#!/usr/bin/env bash
# Sourced by the scripts in this folder: makes a class from the kit's own files.

# Lines of "<lab> <file>": every solution, right or wrong, and the hostile files for lab 02; shuffled, always in the same
# way, so that every part of a class has files of every lab.
sources() { # KIT
  sources_in_order "$1" | shuf --random-source=<(yes)
}

sources_in_order() { # KIT
  local kit=$1
  (cd "$kit/solutions" && find ./*-* -name '*.cu' | sort | sed 's|^\./||; s|^\([^/]*\)/.*|\1 '"$kit"'/solutions/&|')
  find "$kit"/grader/tests/hostile/{cheat,compile,device,host} -name '*.cu' | sort | sed 's|^|02-tiled-matmul |'
}

source_name() { # KIT LAB: the lab's source file, as lab.json names it
  sed -n 's/.*"sources": *\["\([^"]*\)"\].*/\1/p' "$1/labs/$2/lab.json"
}

# make_class KIT FOLDER SUBMISSIONS DISTINCT [LAB]: one file per submission; DISTINCT=1 makes each unique by a comment.
make_class() {
  local kit=$1 class=$2 submissions=$3 distinct=$4 only=${5:-} files folder index lab file
  mapfile -t list < <(sources "$kit" | if [[ -n $only ]]; then grep "^$only "; else cat; fi)
  files=${#list[@]}
  for ((i = 0; i < submissions; ++i)); do
    # If there are fewer submissions than files, choose files evenly from the whole list.
    index=$((submissions < files ? i * files / submissions : i % files))
    read -r lab file <<<"${list[index]}"
    folder=$class/$(printf 's%04d' "$i")/$lab
    mkdir -p "$folder"
    cp "$file" "$folder/$(source_name "$kit" "$lab")"
    if [[ $distinct == 1 ]]; then echo "// submission $i" >>"$folder/$(source_name "$kit" "$lab")"; fi
  done
  echo "$submissions submissions made from $files files"
}
