#!/usr/bin/env python3
"""What a build costs, in CPU seconds by module.

    cmake --preset virtual -DWARPGRADE_BUILD_TIMES=ON && cmake --build --preset virtual
    grader/cmake/build_times.py build/virtual/build_times.txt

CMake starts compilers and linkers through `build_times.py run FILE COMMAND…`, which adds a line to FILE: seconds of user
and system time of the command and its children, and the object or program that it made.
"""

import os
import re
import sys


def run(record, command):
    pid = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(pid, 0)
    made = command[command.index("-o") + 1] if "-o" in command else command[-1]
    with open(record, "a", encoding="utf-8") as file:
        file.write(f"{usage.ru_utime + usage.ru_stime:.2f} {made}\n")
    return os.waitstatus_to_exitcode(status)


def module_of(made):
    """ "grader/judge/CMakeFiles/judge.dir/Unity/unity_0_cxx.cxx.o" is of grader/judge; its tests are counted apart."""
    match = re.match(r"grader/(.*?)/CMakeFiles/([^/]+)\.dir/", made)
    if not match:
        return "precompiled headers" if "precompiled" in made else "links"
    folder, target = match.groups()
    if "cmake_pch" in made:
        return "precompiled headers"
    if folder.startswith("tests/"):
        return "tests"
    return folder if folder not in ("vgpu/cudart",) else f"{folder} ({target})"


def table(record):
    cost, files = {}, {}
    with open(record, encoding="utf-8") as file:
        for line in file:
            seconds, made = line.split(" ", 1)
            module = module_of(made.strip())
            cost[module] = cost.get(module, 0) + float(seconds)
            files[module] = files.get(module, 0) + 1
    lines = ["| module | compilations | CPU seconds |", "|---|---:|---:|"]
    for module in sorted(cost, key=cost.get, reverse=True):
        lines.append(f"| {module} | {files[module]} | {cost[module]:.1f} |")
    lines.append(f"| **all** | {sum(files.values())} | {sum(cost.values()):.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] == "run":
        sys.exit(run(sys.argv[2], sys.argv[3:]))
    if len(sys.argv) == 2:
        print(table(sys.argv[1]))
    else:
        sys.exit(__doc__)
