#include "policy/policy.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "policy/elf_object.hpp"
#include "policy/emitted_names.hpp"
#include "policy/inline_assembly.hpp"
#include "policy/machine_code.hpp"
#include "policy/matrix_instructions.hpp"
#include "policy/source_scan.hpp"
#include "policy/symbol_names.hpp"

namespace grader::policy {
namespace {

bool holds(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

constexpr const char* kTensorCores = "tensor_cores";
constexpr std::size_t kEnoughFindings = 32;
constexpr std::size_t kMaxCodeBytes = std::size_t{4}
                                      << 20U;  // limit on host code; a lab's program has some KiB

bool is_code(const Section& section) { return (section.flags & SHF_EXECINSTR) != 0; }

/// "ifstream" of "std::ifstream": the word to search for in the source.
std::string_view last_part(std::string_view name) {
  const auto colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

/// Functions that compilers generate to run when the program is loaded: dynamic initialisers of a file's
/// variables (one function for all of them), and the registration of the file's kernels.
bool is_compilers_initialiser(std::string_view function) {
  return function.starts_with("_GLOBAL__sub_I_") || function.starts_with("_GLOBAL__I_") ||
         function == "_ZL24__sti____cudaRegisterAllv" || function == "__cuda_module_ctor" ||
         function.starts_with("__cuda_register_globals") || function.starts_with("__cxx_global_var_init");
}

class Examination {
 public:
  Examination(const Source& source, const Rules& rules)
      : scan_(source.text), source_(source), rules_(rules) {}

  void check_source() {
    for (const Include& one : scan_.includes()) {
      const std::string_view library = library_of_header(one.header);
      if (!library.empty() && holds(rules_.forbid_libraries, library)) refuse_library(library, one.line);
    }
  }

  void check_assembly(std::string_view assembly) {
    const auto found = find_inline_assembly(assembly, source_.name);
    if (!found) return;
    const std::string function = readable(found->function);
    refuse("WG-S23",
           "inline assembly in code that is compiled for the host" +
               (function.empty() ? "" : fmt::format(" (in `{}`)", function)),
           found->line > 0 ? found->line : line_of_assembly(function, found->text),
           "write C++ in host code; asm for the GPU must be in __global__ or __device__ functions, and in "
           "__host__ __device__ functions inside #ifdef __CUDA_ARCH__");
  }

  void check_host_source(std::string_view host_source) {
    const auto found = find_bad_name(host_source, source_.name);
    if (!found) return;
    refuse("WG-S23", "the name of a section or symbol contains characters that the assembler reads as code",
           found->line > 0 ? found->line : line_of_assembly("", found->text),
           "use letters, digits, '_', '.' and '$' in names of sections and symbols, or remove the attribute");
  }

  void check_device_code(std::string_view ptx) {
    if (!holds(rules_.forbid_libraries, kTensorCores)) return;
    const auto found = find_matrix_instruction(ptx, source_.name);
    if (!found) return;
    refuse("WG-S25", fmt::format("uses tensor cores (`{}`), which this lab forbids", found->opcode),
           found->line, "multiply and add in the threads: the lab is about how they get and share values");
  }

  void check_object(std::span<const std::byte> bytes) {
    const auto object = read_elf_object(bytes);
    if (!object)
      return refuse("WG-S26",
                    "the compiled object contains something that no compiler generates: " + object.error(), 0,
                    "remove inline assembly and section attributes");
    // A hostile object can break the rules a million times; the first few are enough.
    const auto had_enough = [&] {
      return findings_.refused.size() + findings_.unknown_imports.size() >= kEnoughFindings;
    };
    for (std::size_t i = 0; i < object->symbols.size() && !had_enough(); ++i) check_symbol(*object, i);
    const auto entries = object->referenced_offsets();
    for (std::size_t i = 0; i < object->sections.size() && !had_enough(); ++i)
      check_section(*object, i, entries[i]);
  }

  Findings take() {
    const auto line_of = [](const Diagnostic& one) {
      return one.where && one.where->line > 0 ? one.where->line : std::numeric_limits<int>::max();
    };
    std::stable_sort(findings_.refused.begin(), findings_.refused.end(),
                     [&](const Diagnostic& a, const Diagnostic& b) { return line_of(a) < line_of(b); });
    if (findings_.refused.size() > kMaxFindings) findings_.refused.resize(kMaxFindings);
    return std::move(findings_);
  }

 private:
  Diagnostic finding(std::string code, std::string what, int line, std::string next_step) const {
    Diagnostic one = diagnose(std::move(code), std::move(what), std::move(next_step));
    one.where = SourceLocation{std::string(source_.name), line};
    if (line > 0) one.source_line = line_text(line);
    return one;
  }

  void refuse(std::string code, std::string what, int line, std::string next_step) {
    if (!refusals_.insert(code + what).second) return;
    findings_.refused.push_back(finding(std::move(code), std::move(what), line, std::move(next_step)));
  }

  /// Refuses each library once. `symbol` is the symbol that uses it; empty if a header does.
  void refuse_library(std::string_view library, int line, const std::string& symbol = "") {
    if (!refused_libraries_.insert(std::string(library)).second) return;
    refuse("WG-S25",
           fmt::format("uses the library {}{}, which this lab forbids", library,
                       symbol.empty() ? "" : fmt::format(" (`{}`)", symbol)),
           line, "write the kernel yourself: that is what the lab is about");
  }

  /// The line of the symbol's name in the source, or else of the function that uses the symbol: a macro can
  /// hide the symbol's name, but not both.
  int line_of(const std::string& shown, const Symbol* user = nullptr) const {
    const int line = scan_.line_of(last_part(std::string_view(shown).substr(0, shown.find('['))));
    return line > 0 || user == nullptr ? line : scan_.line_of(last_part(readable(user->name)));
  }

  /// For assembly without a line from the compiler: the line with the text of its first instruction.
  int line_of_assembly(const std::string& function, std::string_view text) const {
    if (!function.empty()) return scan_.line_of(last_part(function));
    for (const char* word : {"asm", "__asm__", "__asm"})
      if (const int line = scan_.line_of(word); line > 0) return line;
    const std::size_t at = text.empty() ? std::string_view::npos : source_.text.find(text);
    if (at == std::string_view::npos) return 0;
    return 1 + static_cast<int>(std::count(source_.text.begin(), source_.text.begin() + at, '\n'));
  }

  std::string line_text(int line) const {
    std::string_view rest = source_.text;
    for (; line > 1; --line) {
      const auto end = rest.find('\n');
      if (end == std::string_view::npos) return "";
      rest.remove_prefix(end + 1);
    }
    const std::string_view text = rest.substr(0, rest.find('\n'));
    return std::string(text.substr(0, text.find('\r')));
  }

  void check_symbol(const ElfObject& object, std::size_t index) {
    const Symbol& symbol = object.symbols[index];
    if (symbol.name.empty()) return;
    if (const auto library = library_of_symbol(symbol.name);
        !library.empty() && holds(rules_.forbid_libraries, library))
      return refuse_library(library, line_of_library(object, index, library), readable(symbol.name));
    if (symbol.is_import()) return check_import(object, index);
    if (symbol.type == STT_GNU_IFUNC)
      return refuse("WG-S22",
                    fmt::format("`{}` selects its code when the program is loaded", readable(symbol.name)),
                    scan_.line_of("ifunc"), "remove __attribute__((ifunc))");
    const bool is_visible = symbol.binding != STB_LOCAL && symbol.type != STT_SECTION;
    const auto owner = is_visible ? reserved_for(symbol.name) : std::nullopt;
    if (owner && !holds(rules_.entries, symbol.name))
      refuse("WG-S21", fmt::format("defines `{}`, which {}", readable(symbol.name), *owner),
             line_of(readable(symbol.name)),
             "choose another name, or make the function static if it is only a helper");
    if (symbol.type == STT_OBJECT && symbol.section != kNoSection && symbol.section != 0 &&
        is_code(object.sections[symbol.section]))
      refuse("WG-S24", fmt::format("stores the data of `{}` in a code section", readable(symbol.name)),
             scan_.line_of("section"), "remove __attribute__((section))");
  }

  int line_of_library(const ElfObject& object, std::size_t symbol, std::string_view library) const {
    const int pragma = library == "openmp" ? scan_.line_of("omp") : 0;
    return pragma > 0 ? pragma : line_of(readable(object.symbols[symbol].name), user_of(object, symbol));
  }

  void check_import(const ElfObject& object, std::size_t index) {
    const std::string_view name = object.symbols[index].name;
    if (holds(rules_.allow_symbols, name)) return;
    const Opinion opinion = opinion_on_import(name);
    if (opinion.standing == Standing::permitted) return;
    const bool is_refused = opinion.standing == Standing::refused;
    const std::string name_of = readable(is_refused ? opinion.shown : name);
    const Symbol* user = user_of(object, index);
    const std::string what =
        fmt::format("uses `{}`, which {}{}", name_of,
                    is_refused ? opinion.reason : "is not among the functions that submissions may use",
                    user == nullptr ? "" : fmt::format(" (in {})", shown(*user)));
    const std::string advice =
        "remove it: the labs need only CUDA and C++'s containers, algorithms and printing";
    const int line = line_of(name_of, user);
    if (is_refused)
      refuse("WG-S20", what, line, advice);
    else
      findings_.unknown_imports.push_back(finding("WG-S20", what, line, advice));
  }

  /// The function's name for messages; compilers name initialisers after temporary files.
  static std::string shown(const Symbol& function) {
    return is_compilers_initialiser(function.name) ? "the initialisation of variables"
                                                   : fmt::format("`{}`", readable(function.name));
  }

  /// The first function that refers to the symbol; nullptr if none is known.
  const Symbol* user_of(const ElfObject& object, std::size_t symbol) const {
    for (std::size_t i = 0; i < object.sections.size(); ++i)
      for (const Relocation& one : object.sections[i].relocations)
        if (one.symbol == symbol)
          if (const Symbol* function = object.function_at(i, one.offset)) return function;
    return nullptr;
  }

  void check_section(const ElfObject& object, std::size_t index, const std::vector<std::uint64_t>& entries) {
    const Section& section = object.sections[index];
    const bool is_loaded = (section.flags & SHF_ALLOC) != 0;
    if (section.name.starts_with(".gnu.lto_"))
      refuse("WG-S26", "the object contains code that the linker would compile", 0,
             "remove attributes about optimisation");
    if (!is_loaded) return;
    if (is_code(section) && (section.flags & SHF_WRITE) != 0)
      refuse("WG-S24", fmt::format("has writable code (section {})", readable(section.name)),
             scan_.line_of("section"), "remove __attribute__((section))");
    if (is_code(section) && (code_bytes_ += section.bytes.size()) > kMaxCodeBytes)
      return refuse("WG-S26", fmt::format("more than {} MiB of host code", kMaxCodeBytes >> 20U), 0,
                    "look for templates and macros that generate much code");
    if (is_code(section))
      if (const auto call = find_system_call(section.bytes, entries))
        refuse_system_call(object, index, *call);
    check_initialisers(object, index);
  }

  void refuse_system_call(const ElfObject& object, std::size_t section, const SystemCall& call) {
    const Symbol* function = object.function_at(section, call.offset);
    refuse("WG-S24",
           fmt::format("calls the operating system directly with the instruction `{}`{}", call.instruction,
                       function != nullptr ? " in " + shown(*function) : ""),
           function != nullptr ? line_of(readable(function->name)) : 0, "use the functions of C++ and CUDA");
  }

  void check_initialisers(const ElfObject& object, std::size_t index) {
    const Section& section = object.sections[index];
    const bool is_list = section.type == SHT_INIT_ARRAY || section.type == SHT_FINI_ARRAY ||
                         section.type == SHT_PREINIT_ARRAY || section.name.starts_with(".init") ||
                         section.name.starts_with(".fini") || section.name.starts_with(".ctors") ||
                         section.name.starts_with(".dtors") || section.name.starts_with(".preinit");
    if (!is_list || section.bytes.empty()) return;
    for (const Relocation& one : section.relocations) {
      const Symbol& target = object.symbols[one.symbol];
      const Symbol* function =
          target.type == STT_SECTION
              ? object.function_at(target.section, static_cast<std::uint64_t>(one.addend))
              : &target;
      // GCC and clang list their function that initialises global variables here.
      const bool is_start = section.type == SHT_INIT_ARRAY && section.name == ".init_array";
      if (is_start && function != nullptr && function->section != 0 &&
          is_compilers_initialiser(function->name) && function->binding == STB_LOCAL)
        continue;
      refuse_initialiser(function);
    }
    // Every pointer has a relocation; anything else would run without having been checked.
    if (section.relocations.size() * sizeof(std::uint64_t) != section.bytes.size())
      refuse_initialiser(nullptr);
  }

  void refuse_initialiser(const Symbol* function) {
    const std::string name = function != nullptr ? readable(function->name) : "";
    const int line = name.empty() ? scan_.line_of("constructor") : line_of(name);
    refuse("WG-S22",
           name.empty() ? "has code that runs when the program is loaded or ends"
                        : fmt::format("`{}` runs when the program is loaded or ends", name),
           line, "remove __attribute__((constructor)) and (destructor); do the work in the lab's function");
  }

  SourceScan scan_;
  Source source_;
  const Rules& rules_;
  Findings findings_;
  std::set<std::string> refusals_, refused_libraries_;
  std::size_t code_bytes_ = 0;
};

}  // namespace

const std::vector<std::string>& known_libraries() {
  static const std::vector<std::string> kAll{"cublas",   "cub",        "cudnn",   "cufft", "curand",
                                             "cusolver", "cusparse",   "cutlass", "npp",   "openmp",
                                             "tbb",      kTensorCores, "thrust"};
  return kAll;
}

std::vector<std::string> Rules::default_forbidden_libraries() { return known_libraries(); }

Findings examine_source(const Source& source, const Rules& rules) {
  Examination examination(source, rules);
  examination.check_source();
  return examination.take();
}

Findings examine_assembly(std::string_view assembly, const Source& source, const Rules& rules) {
  Examination examination(source, rules);
  examination.check_assembly(assembly);
  return examination.take();
}

Findings examine_host_source(std::string_view host_source, const Source& source, const Rules& rules) {
  Examination examination(source, rules);
  examination.check_host_source(host_source);
  return examination.take();
}

Findings examine_device_code(std::string_view ptx, const Source& source, const Rules& rules) {
  Examination examination(source, rules);
  examination.check_device_code(ptx);
  return examination.take();
}

Findings examine_object(std::span<const std::byte> object, const Source& source, const Rules& rules) {
  Examination examination(source, rules);
  examination.check_object(object);
  return examination.take();
}

std::string export_list(const Rules& rules) {
  return fmt::format("{{ global: {}; local: *; }};\n", fmt::join(rules.entries, "; "));
}

}  // namespace grader::policy
