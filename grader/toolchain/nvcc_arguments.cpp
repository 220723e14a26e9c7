#include "toolchain/nvcc_arguments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "toolchain/host_lines.hpp"
#include "toolchain/virtual_architecture.hpp"

namespace grader {
namespace {

using std::filesystem::path;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// An option with a value: "-o value", "-o=value", "--output-file value" or "--output-file=value".
struct ValueOption {
  std::string_view name, value;
  std::size_t words = 1;  ///< number of words on the command line
};

std::optional<ValueOption> value_option(const std::vector<std::string>& words, std::size_t at,
                                        std::initializer_list<std::string_view> names) {
  const std::string_view word = words[at];
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (!is_one_of(name, names)) return std::nullopt;
  if (equals != std::string_view::npos) return ValueOption{name, word.substr(equals + 1), 1};
  if (at + 1 == words.size()) return ValueOption{name, "", 1};
  return ValueOption{name, words[at + 1], 2};
}

// ---- architectures

struct Architecture {
  int number = 0;
  std::string suffix;  ///< "a", "f": features of this architecture only
};

/// Every "sm_NN" and "compute_NN" of "arch=compute_80,code=[sm_80,compute_80]", "sm_86", ….
std::vector<Architecture> architectures_in(std::string_view text) {
  std::vector<Architecture> found;
  for (const std::string_view prefix : {std::string_view("sm_"), std::string_view("compute_")}) {
    for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
      Architecture one;
      std::size_t end = at + prefix.size();
      constexpr int kLargest = 1000;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0 &&
             one.number < kLargest)
        one.number = one.number * 10 + (text[end++] - '0');
      if (end < text.size() && (text[end] == 'a' || text[end] == 'f')) one.suffix = text[end];
      if (one.number > 0) found.push_back(one);
    }
  }
  return found;
}

/// "80".
std::string chosen_architecture(const std::vector<Architecture>& requested) {
  Architecture chosen{kVirtualArchitecture, ""};
  const auto is_runnable = [](const Architecture& one) { return one.number <= kVirtualArchitecture; };
  const auto by_number = [](const Architecture& a, const Architecture& b) { return a.number < b.number; };
  std::vector<Architecture> runnable;
  std::copy_if(requested.begin(), requested.end(), std::back_inserter(runnable), is_runnable);
  if (!runnable.empty())
    chosen = *std::max_element(runnable.begin(), runnable.end(), by_number);
  else if (!requested.empty())
    chosen = *std::min_element(requested.begin(), requested.end(), by_number);
  return std::to_string(chosen.number) + chosen.suffix;
}

// ---- refused options

constexpr std::string_view kRelocatableAdvice =
    "the virtual GPU needs whole-program device code: build each .cu file with -c (or all files in one "
    "command) and define __device__ functions and variables that several files use in a header";

std::optional<std::string> refused(const std::vector<std::string>& words, std::size_t at) {
  const auto refusal = [&](std::string_view what) {
    return std::string(what) + " is not supported: " + std::string(kRelocatableAdvice);
  };
  if (const auto rdc = value_option(words, at, {"-rdc", "--relocatable-device-code"});
      rdc && rdc->value == "true")
    return refusal("relocatable device code (-rdc=true)");
  if (is_one_of(words[at], {"-dc", "--device-c", "-dw", "--device-w", "-dlink", "--device-link", "-dlto",
                            "--dlink-time-opt"}))
    return refusal("separate compilation of device code (" + words[at] + ")");
  return std::nullopt;
}

// ---- other options

/// Options whose next word is a value, which must not be mistaken for an input file or another option.
constexpr std::string_view kTakesNextWord[] = {"-o",
                                               "-I",
                                               "-L",
                                               "-l",
                                               "-D",
                                               "-U",
                                               "-x",
                                               "-std",
                                               "-ccbin",
                                               "-m",
                                               "-t",
                                               "-isystem",
                                               "-include",
                                               "-odir",
                                               "-maxrregcount",
                                               "-Xcompiler",
                                               "-Xlinker",
                                               "-Xptxas",
                                               "-Xnvlink",
                                               "-Xarchive",
                                               "-diag-suppress",
                                               "-MF",
                                               "-MT",
                                               "--output-file",
                                               "--include-path",
                                               "--library-path",
                                               "--library",
                                               "--define-macro",
                                               "--undefine-macro",
                                               "--compiler-bindir",
                                               "--compiler-options",
                                               "--linker-options",
                                               "--ptxas-options",
                                               "--pre-include",
                                               "--threads",
                                               "--std",
                                               "--machine",
                                               "--default-stream",
                                               "-default-stream",
                                               "--maxrregcount",
                                               "--diag-suppress",
                                               "--x"};

bool takes_next_word(std::string_view word) {
  return std::find(std::begin(kTakesNextWord), std::end(kTakesNextWord), word) != std::end(kTakesNextWord);
}

bool is_compile_option(std::string_view word) { return is_one_of(word, {"-c", "--compile"}); }

/// True for options that end compilation before an object file; such commands accept only one architecture.
bool stops_before_object(std::string_view word) {
  return is_one_of(word, {"-E", "--preprocess", "-M", "-MM", "--generate-dependencies", "-ptx", "--ptx",
                          "-cubin", "--cubin", "-fatbin", "--fatbin", "-cuda", "--cuda", "-lib", "--lib",
                          "-optix-ir", "--optix-ir", "-ltoir", "--ltoir"});
}

/// True if the user requests debug information for host code, with nvcc's own option or the host compiler's.
bool has_host_lines(const std::vector<std::string>& users, std::size_t at) {
  if (is_one_of(users[at], {"-g", "--debug"})) return true;
  const auto passed = value_option(users, at, {"-Xcompiler", "--compiler-options"});
  return passed && (passed->value.starts_with("-g") || passed->value.find(",-g") != std::string_view::npos);
}

bool is_toolkit_runtime(std::string_view word) { return is_one_of(word, {"-lcudart", "-lcudart_static"}); }

/// "cudart" for ".../libcudart.so".
std::string link_name(const path& library) {
  constexpr std::string_view kPrefix = "lib";
  return library.stem().string().substr(kPrefix.size());
}

/// The runtime library is not passed as a file: nvcc would compile it after `-x cu`.
void append_runtime(Command& command, const path& runtime_library) {
  const std::string folder = runtime_library.parent_path();
  // DT_RPATH is searched before LD_LIBRARY_PATH, which on many machines contains the toolkit's runtime.
  for (const std::string& word : {std::string("--disable-new-dtags"), std::string("-rpath"), folder}) {
    command.push_back("-Xlinker");
    command.push_back(word);
  }
  command.insert(command.begin(), "-L" + folder);  // searched before the user's folders
  command.push_back("-l" + link_name(runtime_library));
}

}  // namespace

Expected<Command, std::string> virtual_nvcc_arguments(const std::vector<std::string>& users,
                                                      const path& runtime_library) {
  Command command;
  std::vector<Architecture> requested;
  bool links = true, makes_object = true, has_input = false;
  bool has_lines = false, has_lines_of_host = false;
  for (std::size_t at = 0; at < users.size();) {
    const std::string& word = users[at];
    if (auto refusal = refused(users, at)) return Unexpected<std::string>{*std::move(refusal)};
    if (const auto option = value_option(
            users, at,
            {"-arch", "-code", "-gencode", "--gpu-architecture", "--gpu-code", "--generate-code"})) {
      for (Architecture& one : architectures_in(option->value)) requested.push_back(std::move(one));
      at += option->words;
      continue;
    }
    if (const auto option =
            value_option(users, at, {"-cudart", "--cudart", "-rdc", "--relocatable-device-code"})) {
      at += option->words;
      continue;
    }
    if (is_toolkit_runtime(word)) {
      ++at;
      continue;
    }
    makes_object = makes_object && !stops_before_object(word);
    links = links && makes_object && !is_compile_option(word);
    has_lines = has_lines || is_one_of(word, {"-lineinfo", "--generate-line-info", "-G", "--device-debug"});
    has_lines_of_host = has_lines_of_host || has_host_lines(users, at);
    command.push_back(word);
    ++at;
    if (takes_next_word(word) && at < users.size()) {
      command.push_back(users[at++]);
    } else {
      has_input = has_input || !word.starts_with('-');
    }
  }
  if (!has_input) return command;  // --version, --help
  if (!has_lines) command.push_back("-lineinfo");
  if (!has_lines_of_host) command.insert(command.end(), {"-Xcompiler", "-g1"});
  const bool is_for_clang = std::any_of(users.begin(), users.end(), [](const std::string& word) {
    return word.find("clang") != std::string::npos;  // -ccbin clang++, which lacks these options
  });
  if (!is_for_clang) command.insert(command.end(), {"-Xcompiler", kEveryCallStays});
  const std::string architecture = chosen_architecture(requested);
  command.push_back("-gencode");
  // The virtual GPU runs the PTX; the machine code gives the register count that ptxas determined.
  const std::string code =
      makes_object ? "[sm_" + architecture + ",compute_" + architecture + "]" : "compute_" + architecture;
  command.push_back("arch=compute_" + architecture + ",code=" + code);
  if (links) {
    command.insert(command.end(), {"-cudart", "none"});
    append_runtime(command, runtime_library);
  }
  return command;
}

std::vector<std::string> libraries_of_real_gpus(const std::vector<std::string>& users) {
  static constexpr std::array kLibraries = std::to_array<std::string_view>(
      {"-lcublas", "-lcublasLt", "-lcufft", "-lcurand", "-lcusolver", "-lcusparse", "-lcudnn", "-lnpp",
       "-lnccl", "-lcuda", "-lnvrtc", "-lcudadevrt"});
  std::vector<std::string> found;
  for (const std::string& word : users) {
    const bool known = std::find(kLibraries.begin(), kLibraries.end(), word) != kLibraries.end();
    if (known && std::find(found.begin(), found.end(), word) == found.end()) found.push_back(word);
  }
  return found;
}

}  // namespace grader
