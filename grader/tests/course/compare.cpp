// compare ONE OTHER: compares two files of the course kernels' results, within the bounds that the files
// contain. Exit status: 0 they agree, 1 they differ, 2 a file cannot be read.

#include <cstdio>
#include <exception>

#include "results.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s ONE OTHER\n", argv[0]), 2;
  try {
    int different = 0;
    for (const auto& one : course::compare(course::read_results(argv[1]), course::read_results(argv[2]))) {
      std::printf("%-9s %-22s %-8s %s\n", one.agrees ? "agree" : "DIFFER", one.launch.c_str(),
                  one.output.c_str(), one.found.c_str());
      different += !one.agrees;
    }
    std::printf("%d outputs differ\n", different);
    return different == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}
