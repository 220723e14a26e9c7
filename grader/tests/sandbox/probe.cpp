// Runs inside a box: makes system calls by number with harmless or useless arguments and prints what the
// kernel answers. Usage: sandbox-probe NUMBER[,ARGUMENT…]…
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    long words[7] = {};
    char* rest = argv[i];
    for (long& word : words) {
      word = std::strtol(rest, &rest, 0);
      if (*rest == ',') ++rest;
    }
    errno = 0;
    ::syscall(words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
    std::printf("%d\n", errno);
    std::fflush(stdout);
  }
  // The 32-bit interface: number 20 is getpid.
  if (argc == 1) {
    long answer = 20;
    asm volatile("int $0x80" : "+a"(answer)::"r8", "r9", "r10", "r11", "memory");
    std::printf("still here: %ld\n", answer);
  }
}
