// Loads a shared object and calls its run(argument), like the harness does with a submission.

#include <cstdio>

#include <dlfcn.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* program = dlopen(argv[1], RTLD_NOW);
  if (!program) return std::fprintf(stderr, "%s\n", dlerror()), 3;
  auto* run = reinterpret_cast<int (*)(const char*)>(dlsym(program, "run"));
  return run ? run(argv[2]) : 4;
}
