#include "policy/symbol_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

namespace grader::policy {
namespace {

using Names = std::span<const std::string_view>;

bool holds(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// ---- what compiled C++ and CUDA need

constexpr auto kCompiler = std::to_array<std::string_view>(
    {"_GLOBAL_OFFSET_TABLE_", "_Unwind_Resume", "__dso_handle", "__gxx_personality_v0", "__dynamic_cast",
     "__once_proxy", "__libc_single_threaded", "__stack_chk_fail", "__assert_fail", "__errno_location",
     "__tls_get_addr", "atexit", "abort", "exit"});

constexpr auto kMemoryAndText = std::to_array<std::string_view>({"malloc",
                                                                 "calloc",
                                                                 "realloc",
                                                                 "free",
                                                                 "aligned_alloc",
                                                                 "posix_memalign",
                                                                 "memcpy",
                                                                 "memmove",
                                                                 "memset",
                                                                 "memcmp",
                                                                 "memchr",
                                                                 "strlen",
                                                                 "strnlen",
                                                                 "strcmp",
                                                                 "strncmp",
                                                                 "strcpy",
                                                                 "strncpy",
                                                                 "strcat",
                                                                 "strncat",
                                                                 "strchr",
                                                                 "strrchr",
                                                                 "strstr",
                                                                 "strtol",
                                                                 "strtoul",
                                                                 "strtoll",
                                                                 "strtoull",
                                                                 "strtod",
                                                                 "strtof",
                                                                 "atoi",
                                                                 "atol",
                                                                 "atof",
                                                                 "abs",
                                                                 "labs",
                                                                 "llabs",
                                                                 "div",
                                                                 "ldiv",
                                                                 "qsort",
                                                                 "bsearch",
                                                                 "rand",
                                                                 "srand",
                                                                 "rand_r",
                                                                 "tolower",
                                                                 "toupper",
                                                                 "bcmp",
                                                                 "memccpy",
                                                                 "mempcpy",
                                                                 "memrchr",
                                                                 "strspn",
                                                                 "strcspn",
                                                                 "strpbrk",
                                                                 "strtok",
                                                                 "strtok_r",
                                                                 "strdup",
                                                                 "strndup",
                                                                 "strcasecmp",
                                                                 "strncasecmp",
                                                                 "stpcpy",
                                                                 "strcoll",
                                                                 "strxfrm",
                                                                 "isdigit",
                                                                 "isspace",
                                                                 "isalpha",
                                                                 "isalnum",
                                                                 "isblank",
                                                                 "iscntrl",
                                                                 "isgraph",
                                                                 "islower",
                                                                 "isprint",
                                                                 "ispunct",
                                                                 "isupper",
                                                                 "isxdigit",
                                                                 "__ctype_b_loc",
                                                                 "__ctype_tolower_loc",
                                                                 "__ctype_toupper_loc",
                                                                 "wcslen",
                                                                 "wcscmp",
                                                                 "wcsncmp",
                                                                 "wcscpy",
                                                                 "wmemcpy",
                                                                 "wmemmove",
                                                                 "wmemset",
                                                                 "wmemcmp",
                                                                 "wmemchr"});

constexpr auto kPrinting = std::to_array<std::string_view>(
    {"printf", "fprintf", "vprintf", "vfprintf", "sprintf", "snprintf", "vsprintf", "vsnprintf",
     "puts",   "putchar", "putc",    "fputs",    "fputc",   "fwrite",   "fflush",   "setvbuf",
     "sscanf", "vsscanf", "perror",  "strerror", "stdout",  "stderr"});

constexpr auto kTimeAndLocks = std::to_array<std::string_view>(
    {"time", "clock", "clock_gettime", "gettimeofday", "difftime", "timespec_get", "gmtime", "gmtime_r",
     "strftime", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock", "pthread_once",
     "__pthread_key_create"});

constexpr auto kMathematics = std::to_array<std::string_view>(
    {"acos",      "acosh",  "asin",   "asinh",  "atan",    "atan2",     "atanh",     "cbrt",       "ceil",
     "copysign",  "cos",    "cosh",   "erf",    "erfc",    "exp",       "exp2",      "exp10",      "expm1",
     "fabs",      "fdim",   "floor",  "fma",    "fmax",    "fmin",      "fmod",      "frexp",      "hypot",
     "ilogb",     "ldexp",  "lgamma", "llrint", "llround", "log",       "log10",     "log1p",      "log2",
     "logb",      "lrint",  "lround", "modf",   "nan",     "nearbyint", "nextafter", "nexttoward", "pow",
     "remainder", "remquo", "rint",   "round",  "scalbln", "scalbn",    "sin",       "sincos",     "sinh",
     "sqrt",      "tan",    "tanh",   "tgamma", "trunc",   "isnan",     "isinf",     "finite",     "signbit",
     "cabs",      "carg",   "cexp",   "clog",   "cpow",    "csqrt",     "csin",      "ccos",       "ctan",
     "csinh",     "ccosh",  "ctanh",  "casin",  "cacos",   "catan",     "casinh",    "cacosh",     "catanh",
     "cproj"});

/// Names of the compiler's support library: "__cxa_throw", "__divti3", "__mulsc3".
constexpr auto kSupportPrefixes = std::to_array<std::string_view>({"__cxa_", "_Unwind_"});
constexpr auto kArithmetic = std::to_array<std::string_view>(
    {"__divti3", "__modti3", "__udivti3", "__umodti3", "__multi3", "__mulsc3", "__muldc3", "__divsc3",
     "__divdc3", "__powisf2", "__powidf2", "__popcountdi2", "__extendhfsf2", "__truncsfhf2", "__truncdfhf2",
     "__extendhfdf2"});

/// The plain name of a checked or renamed function: "memcpy" for "__memcpy_chk", "strtol" for
/// "__isoc23_strtol". Distributions that harden programs use the checked functions.
std::string_view plain(std::string_view name) {
  for (const std::string_view prefix : {"__isoc99_", "__isoc23_"})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  constexpr std::string_view kChecked = "_chk";
  if (name.starts_with("__") && name.ends_with(kChecked))
    return name.substr(2, name.size() - 2 - kChecked.size());
  return name;
}

bool is_mathematics(std::string_view name) {
  if (holds(kMathematics, name)) return true;
  if (name.empty() || (name.back() != 'f' && name.back() != 'l')) return false;
  return holds(kMathematics, name.substr(0, name.size() - 1));
}

bool is_needed_c(std::string_view name) {
  for (const Names list :
       {Names(kCompiler), Names(kMemoryAndText), Names(kPrinting), Names(kTimeAndLocks), Names(kArithmetic)})
    if (holds(list, name)) return true;
  return is_mathematics(name) ||
         std::any_of(kSupportPrefixes.begin(), kSupportPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// ---- what is refused

struct Refusal {
  std::string_view name, reason;
};

constexpr std::string_view kFiles = "opens, reads or changes files";
constexpr std::string_view kProcesses = "starts, ends or watches processes";
constexpr std::string_view kSleep = "lets the program sleep";
constexpr std::string_view kNetwork = "uses the network or other descriptors";
constexpr std::string_view kLoading = "loads or looks up code at run time";
constexpr std::string_view kMemory = "changes the process's memory map";
constexpr std::string_view kSignals = "handles or sends signals";
constexpr std::string_view kThreads = "starts threads of the host";
constexpr std::string_view kSurroundings = "reads or changes the program's environment";
constexpr std::string_view kRawCalls = "calls the operating system directly";

constexpr auto kRefused = std::to_array<Refusal>({
    {"fopen", kFiles},
    {"fopen64", kFiles},
    {"freopen", kFiles},
    {"freopen64", kFiles},
    {"fdopen", kFiles},
    {"tmpfile", kFiles},
    {"open", kFiles},
    {"open64", kFiles},
    {"openat", kFiles},
    {"openat64", kFiles},
    {"creat", kFiles},
    {"read", kFiles},
    {"write", kFiles},
    {"pread", kFiles},
    {"pwrite", kFiles},
    {"readv", kFiles},
    {"writev", kFiles},
    {"close", kFiles},
    {"fclose", kFiles},
    {"unlink", kFiles},
    {"remove", kFiles},
    {"rename", kFiles},
    {"mkdir", kFiles},
    {"rmdir", kFiles},
    {"chmod", kFiles},
    {"chown", kFiles},
    {"symlink", kFiles},
    {"link", kFiles},
    {"readlink", kFiles},
    {"stat", kFiles},
    {"lstat", kFiles},
    {"fstat", kFiles},
    {"access", kFiles},
    {"opendir", kFiles},
    {"readdir", kFiles},
    {"truncate", kFiles},
    {"ftruncate", kFiles},
    {"lseek", kFiles},
    {"fcntl", kFiles},
    {"ioctl", kFiles},
    {"mkfifo", kFiles},
    {"flock", kFiles},
    {"memfd_create", kFiles},
    {"sendfile", kFiles},
    {"chdir", kFiles},
    {"getcwd", kFiles},
    {"mkstemp", kFiles},
    {"fread", kFiles},
    {"dup", kFiles},
    {"dup2", kFiles},
    {"dup3", kFiles},
    {"pipe", kFiles},
    {"pipe2", kFiles},
    {"close_range", kFiles},
    {"fork", kProcesses},
    {"vfork", kProcesses},
    {"clone", kProcesses},
    {"system", kProcesses},
    {"popen", kProcesses},
    {"execl", kProcesses},
    {"execlp", kProcesses},
    {"execle", kProcesses},
    {"execv", kProcesses},
    {"execve", kProcesses},
    {"execvp", kProcesses},
    {"posix_spawn", kProcesses},
    {"posix_spawnp", kProcesses},
    {"wait", kProcesses},
    {"waitpid", kProcesses},
    {"_exit", kProcesses},
    {"_Exit", kProcesses},
    {"quick_exit", kProcesses},
    {"at_quick_exit", kProcesses},
    {"on_exit", kProcesses},
    {"daemon", kProcesses},
    {"setsid", kProcesses},
    {"nice", kProcesses},
    {"setpriority", kProcesses},
    {"sched_setaffinity", kProcesses},
    {"setrlimit", kProcesses},
    {"prctl", kProcesses},
    {"ptrace", kProcesses},
    {"process_vm_readv", kProcesses},
    {"process_vm_writev", kProcesses},
    {"unshare", kProcesses},
    {"setns", kProcesses},
    {"mount", kProcesses},
    {"umount", kProcesses},
    {"reboot", kProcesses},
    {"setuid", kProcesses},
    {"getppid", kProcesses},
    {"getpid", kProcesses},
    {"sleep", kSleep},
    {"usleep", kSleep},
    {"nanosleep", kSleep},
    {"clock_nanosleep", kSleep},
    {"pause", kProcesses},
    {"sched_yield", kProcesses},
    {"socket", kNetwork},
    {"socketpair", kNetwork},
    {"connect", kNetwork},
    {"bind", kNetwork},
    {"listen", kNetwork},
    {"accept", kNetwork},
    {"send", kNetwork},
    {"sendto", kNetwork},
    {"sendmsg", kNetwork},
    {"recv", kNetwork},
    {"recvfrom", kNetwork},
    {"recvmsg", kNetwork},
    {"getaddrinfo", kNetwork},
    {"gethostbyname", kNetwork},
    {"poll", kNetwork},
    {"select", kNetwork},
    {"epoll_create", kNetwork},
    {"shutdown", kNetwork},
    {"setsockopt", kNetwork},
    {"dlopen", kLoading},
    {"dlmopen", kLoading},
    {"dlsym", kLoading},
    {"dlvsym", kLoading},
    {"dladdr", kLoading},
    {"dl_iterate_phdr", kLoading},
    {"cudaGetDriverEntryPoint", kLoading},
    {"cudaGetDriverEntryPointByVersion", kLoading},
    {"cudaGetExportTable", kLoading},
    {"mmap", kMemory},
    {"mmap64", kMemory},
    {"munmap", kMemory},
    {"mprotect", kMemory},
    {"mremap", kMemory},
    {"madvise", kMemory},
    {"mlock", kMemory},
    {"brk", kMemory},
    {"sbrk", kMemory},
    {"shm_open", kMemory},
    {"shmget", kMemory},
    {"shmat", kMemory},
    {"mallopt", kMemory},
    {"userfaultfd", kMemory},
    {"pkey_mprotect", kMemory},
    {"signal", kSignals},
    {"sigaction", kSignals},
    {"raise", kSignals},
    {"kill", kSignals},
    {"killpg", kSignals},
    {"tgkill", kSignals},
    {"alarm", kSignals},
    {"setitimer", kSignals},
    {"timer_create", kSignals},
    {"sigprocmask", kSignals},
    {"sigaltstack", kSignals},
    {"pthread_kill", kSignals},
    {"pthread_create", kThreads},
    {"pthread_join", kThreads},
    {"pthread_detach", kThreads},
    {"pthread_atfork", kThreads},
    {"thrd_create", kThreads},
    {"pthread_setaffinity_np", kThreads},
    {"getenv", kSurroundings},
    {"secure_getenv", kSurroundings},
    {"setenv", kSurroundings},
    {"putenv", kSurroundings},
    {"unsetenv", kSurroundings},
    {"clearenv", kSurroundings},
    {"environ", kSurroundings},
    {"__environ", kSurroundings},
    {"gethostname", kSurroundings},
    {"uname", kSurroundings},
    {"sysconf", kSurroundings},
    {"setlocale", kSurroundings},
    {"fesetround", kSurroundings},
    {"fesetenv", kSurroundings},
    {"getrandom", kSurroundings},
    {"getauxval", kSurroundings},
    {"program_invocation_name", kSurroundings},
    {"syscall", kRawCalls},
    {"io_uring_setup", kRawCalls},
    {"add_key", kRawCalls},
    {"keyctl", kRawCalls},
});

/// Parts of the C++ library that use refused functions, identified by a part of the mangled name.
struct StandardPart {
  std::string_view part, reason, shown;
};
constexpr auto kRefusedParts = std::to_array<StandardPart>({
    {"basic_ifstream", kFiles, "std::ifstream"},
    {"basic_ofstream", kFiles, "std::ofstream"},
    {"basic_fstream", kFiles, "std::fstream"},
    {"basic_filebuf", kFiles, "std::filebuf"},
    {"stdio_filebuf", kFiles, "stdio_filebuf"},
    {"stdio_sync_filebuf", kFiles, "stdio_sync_filebuf"},
    {"__basic_file", kFiles, "__basic_file"},
    {"10filesystem", kFiles, "std::filesystem"},
    {"St6thread", kThreads, "std::thread"},
    {"jthread", kThreads, "std::jthread"},
    {"18condition_variable", kThreads, "std::condition_variable"},
    {"22condition_variable_any", kThreads, "std::condition_variable"},
    {"13__future_base", kThreads, "std::async"},
    {"19_Async_state_common", kThreads, "std::async"},
    {"11this_thread", kProcesses, "std::this_thread"},
    {"13random_device", kSurroundings, "std::random_device"},
    {"10quick_exit", kProcesses, "std::quick_exit"},
});

/// True for names of namespaces std, __gnu_cxx and __cxxabiv1, and for operators new and delete.
bool is_standard_cxx(std::string_view name) {
  if (!name.starts_with("_Z")) return false;
  std::string_view rest = name.substr(2);
  for (const std::string_view prefix : {"TV", "TI", "TS", "TT", "GV", "Th", "GR"})
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(2);
      break;
    }
  if (rest.starts_with("nw") || rest.starts_with("na") || rest.starts_with("dl") || rest.starts_with("da"))
    return true;
  if (rest.starts_with("N")) rest.remove_prefix(1);
  if (rest.starts_with("K")) rest.remove_prefix(1);
  // Type information of pointers and fundamental types: _ZTIPKc, _ZTIi.
  const bool is_plain_type =
      name.starts_with("_ZTI") && rest.find_first_not_of("PKbcahstijlmxyfdev") == std::string_view::npos;
  for (const std::string_view prefix :
       {"St", "Sa", "Ss", "Si", "So", "Sd", "Sb", "9__gnu_cxx", "10__cxxabiv1"})
    if (rest.starts_with(prefix)) return true;
  return is_plain_type;
}

bool is_cuda_runtime(std::string_view name) {
  constexpr std::string_view kPublic = "cuda";
  const bool is_public = name.starts_with(kPublic) && name.size() > kPublic.size() &&
                         std::isupper(static_cast<unsigned char>(name[kPublic.size()])) != 0;
  return is_public || name.starts_with("__cuda");
}

/// True for functions that use memory or handles of other processes.
bool is_foreign_cuda(std::string_view name) {
  return name.starts_with("cudaIpc") || name.starts_with("cudaImport") || name.starts_with("cudaGraphics") ||
         contains(name, "ShareableHandle") || contains(name, "ExternalMemory") ||
         contains(name, "ExternalSemaphore");
}

constexpr std::size_t kMaxShown = 160;

std::string shortened(std::string_view text) {
  std::string clean(text.substr(0, kMaxShown));
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c <= ' ' || c > '~'; }, '?');
  return clean;
}

/// Removes an identifier such as "6helper" from the front and returns it; empty if there is none.
std::string_view take_identifier(std::string_view& rest) {
  std::size_t length = 0, digits = 0;
  while (digits < rest.size() && digits < 4 && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0)
    length = 10 * length + static_cast<std::size_t>(rest[digits++] - '0');
  if (digits == 0 || length == 0 || length > rest.size() - digits) return {};
  const std::string_view identifier = rest.substr(digits, length);
  rest.remove_prefix(digits + length);
  return identifier;
}

}  // namespace

Opinion opinion_on_import(std::string_view name) {
  for (const Refusal& one : kRefused)
    if (plain(name) == one.name) return {Standing::refused, one.reason, one.name};
  if (is_foreign_cuda(name)) return {Standing::refused, "shares device memory with other programs", name};
  if (is_cuda_runtime(name) || is_needed_c(name) || is_needed_c(plain(name)))
    return {Standing::permitted, "", name};
  if (!is_standard_cxx(name)) return {Standing::unknown, "", name};
  for (const StandardPart& one : kRefusedParts)
    if (contains(name, one.part)) return {Standing::refused, one.reason, one.shown};
  return {Standing::permitted, "", name};
}

std::optional<std::string_view> reserved_for(std::string_view name) {
  if (name.starts_with("DW.ref.") || name == "__clang_call_terminate" || contains(name, "__device_stub__"))
    return std::nullopt;  // generated by compilers
  if (is_cuda_runtime(name)) return "belongs to the CUDA runtime";
  if (name.starts_with("_Znw") || name.starts_with("_Zna") || name.starts_with("_Zdl") ||
      name.starts_with("_Zda"))
    return "replaces C++'s memory management for the whole program";
  if (name == "main" || name == "_start" || name == "_init" || name == "_fini")
    return "is a program's own entry, and the harness has one";
  if (contains(name, "6grader7harness") || contains(name, "4vgpu6cudart")) return "belongs to the grader";
  if (name.starts_with("_Z")) return std::nullopt;
  const Opinion opinion = opinion_on_import(name);
  if (opinion.standing != Standing::unknown) return "is a function of the system's libraries";
  if (name.starts_with("__") ||
      (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])) != 0))
    return "is a name that C++ reserves for compilers and libraries";
  return std::nullopt;
}

std::string_view library_of_symbol(std::string_view name) {
  struct Part {
    std::string_view part, library;
  };
  static constexpr auto kParts = std::to_array<Part>(
      {{"6thrust", "thrust"}, {"N3cub", "cub"}, {"7cutlass", "cutlass"}, {"8cub17CUB", "cub"}});
  // In mangled names, the length of each identifier precedes it (Itanium C++ ABI, "Mangling").
  if (name.starts_with("_Z"))
    for (const Part& one : kParts)
      if (contains(name, one.part)) return one.library;
  static constexpr auto kPrefixes = std::to_array<Part>({{"cublas", "cublas"},
                                                         {"cufft", "cufft"},
                                                         {"curand", "curand"},
                                                         {"cusparse", "cusparse"},
                                                         {"cusolver", "cusolver"},
                                                         {"cudnn", "cudnn"},
                                                         {"npp", "npp"},
                                                         {"omp_", "openmp"},
                                                         {"GOMP_", "openmp"},
                                                         {"__kmpc_", "openmp"}});
  for (const Part& one : kPrefixes)
    if (name.starts_with(one.part)) return one.library;
  return {};
}

std::string_view library_of_header(std::string_view header) {
  struct Part {
    std::string_view prefix, library;
  };
  static constexpr auto kHeaders = std::to_array<Part>({{"thrust/", "thrust"},
                                                        {"cub/", "cub"},
                                                        {"cutlass/", "cutlass"},
                                                        {"cute/", "cutlass"},
                                                        {"cublas", "cublas"},
                                                        {"cufft", "cufft"},
                                                        {"curand", "curand"},
                                                        {"cusparse", "cusparse"},
                                                        {"cusolver", "cusolver"},
                                                        {"cudnn", "cudnn"},
                                                        {"npp", "npp"},
                                                        {"omp.h", "openmp"},
                                                        {"tbb/", "tbb"}});
  for (const Part& one : kHeaders)
    if (header.starts_with(one.prefix)) return one.library;
  return {};
}

namespace {

/// The operator with this name in the Itanium ABI ("operator-name"); only operators that programs replace.
std::string_view memory_operator(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOperators = {
      {{"_Znw", "operator new"},
       {"_Zna", "operator new[]"},
       {"_Zdl", "operator delete"},
       {"_Zda", "operator delete[]"}}};
  for (const auto& [start, text] : kOperators)
    if (name.starts_with(start)) return text;
  return {};
}

}  // namespace

std::string readable(std::string_view name) {
  if (const auto text = memory_operator(name); !text.empty()) return std::string(text);
  if (!name.starts_with("_Z")) return shortened(name);
  // Itanium C++ ABI, "Mangling": after _Z, L means internal linkage, N a nested name, K const, and St std.
  std::string_view rest = name.substr(2);
  if (rest.starts_with("L")) rest.remove_prefix(1);
  const bool is_nested = rest.starts_with("N");
  if (is_nested) rest.remove_prefix(1);
  if (is_nested && rest.starts_with("K")) rest.remove_prefix(1);
  std::string text;
  if (rest.starts_with("St")) {
    rest.remove_prefix(2);
    text = "std";
  }
  do {
    const std::string_view part = take_identifier(rest);
    if (part.empty()) break;
    text += (text.empty() ? "" : "::") + std::string(part.starts_with("_GLOBAL__N") ? "(anonymous)" : part);
  } while (is_nested);
  return shortened(text.empty() || text == "std" ? name : std::string_view(text));
}

}  // namespace grader::policy
