// export_cuda FIRST_SEED COUNT: writes the fuzzer's kernels as CUDA C++ to standard output: all sheets of
// forms, then COUNT random kernels. Their bodies are inline PTX. compare_cuda.cu includes the result.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "program.hpp"

namespace {

/// The body as text of an asm statement: %0 and %1 are operands, every other % is doubled.
std::string quoted(const std::string& body) {
  std::string text = "\"{\\n\"\n\"";
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\n') {
      text += "\\n\"\n\"";
    } else if (body[i] == '%' && i + 1 < body.size() && (body[i + 1] == '0' || body[i + 1] == '1')) {
      text += '%';
    } else if (body[i] == '%') {
      text += "%%";
    } else {
      text += body[i];
    }
  }
  return text + "}\"";
}

void write_kernel(const std::string& name, const fuzz::Program& program) {
  std::printf(
      "__global__ void %s(const void* in, void* out) {\nasm volatile(%s :: \"l\"(in), \"l\"(out) : "
      "\"memory\");\n}\n\n",
      name.c_str(), quoted(fuzz::ptx_body(program, "%0", "%1")).c_str());
}

void write_table(const char* name, const char* prefix, std::size_t count) {
  std::printf("using Kernel = void (*)(const void*, void*);\nconst Kernel %s[] = {", name);
  for (std::size_t i = 0; i < count; ++i) std::printf("%s%s%zu", i == 0 ? "" : ", ", prefix, i);
  std::printf("};\n\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s FIRST_SEED COUNT\n", argv[0]), 2;
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::size_t count = std::strtoull(argv[2], nullptr, 10);
  std::printf("#include <cstdint>\n\n");
  const auto sheets = fuzz::all_sheets();
  for (std::size_t i = 0; i < sheets.size(); ++i)
    write_kernel("sheet" + std::to_string(i), sheets[i].program);
  for (std::size_t i = 0; i < count; ++i)
    write_kernel("random" + std::to_string(i), fuzz::random_program(first + i));
  write_table("sheet_kernels", "sheet", sheets.size());
  write_table("random_kernels", "random", count);
  std::printf("constexpr std::uint64_t kFirstSeed = %llu;\n", static_cast<unsigned long long>(first));
  return 0;
}
