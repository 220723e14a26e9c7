// One object or source for each rule. The runner's and lint's tests cover the output of real compilers.
#include "policy/policy.hpp"

#include "catch.hpp"
#include "tests/policy/objects.hpp"

using namespace grader::policy;
using testing::bytes_of;
using testing::contains;
using testing::ObjectMaker;

namespace {

const Rules kRules{.entries = {"entry"}};

ObjectMaker with_entry() {
  ObjectMaker maker;
  maker.define("entry");
  return maker;
}

Findings look(const ObjectMaker& maker, const std::string& source = "", const Rules& rules = kRules) {
  const std::string file = maker.make();
  return examine_object(bytes_of(file), {source, "lab.cu"}, rules);
}

std::string code_of(const Findings& findings) {
  return findings.refused.empty() ? "" : findings.refused.front().code;
}

}  // namespace

TEST_CASE("an object with its entry and permitted imports passes") {
  ObjectMaker maker = with_entry();
  maker.use(maker.import("memcpy"));
  maker.define("_Z9grid_sizei");
  maker.define("__device_stub__Z1kPf");
  const Findings findings = look(maker);
  CHECK(findings.refused.empty());
  CHECK(findings.unknown_imports.empty());
}

TEST_CASE("a refused import is reported with its reason, its user and its line") {
  ObjectMaker maker = with_entry();
  maker.use(maker.import("fopen"));
  const Findings findings = look(maker, "// fopen\nvoid entry() {\n  fopen(\"a\", \"r\");\n}\n");
  REQUIRE(findings.refused.size() == 1);
  const grader::Diagnostic& one = findings.refused.front();
  CHECK(one.code == "WG-S20");
  CHECK_THAT(one.what, contains("`fopen`, which opens, reads or changes files (in `entry`)"));
  CHECK(one.where->line == 3);
  CHECK(one.source_line == "  fopen(\"a\", \"r\");");
}

TEST_CASE("the line is that of the call, not of another use of the same name") {
  ObjectMaker maker = with_entry();
  maker.use(maker.import("write"));
  const std::string source = "struct Options { int write = 0; };\nvoid entry() {\n  ::write(1, 0, 0);\n}\n";
  CHECK(look(maker, source).refused.front().where->line == 3);
}

TEST_CASE("a symbol that a macro hides is located by the function that uses it") {
  ObjectMaker maker = with_entry();
  maker.use(maker.import("fork"));
  const std::string source = "#define J(a, b) a##b\n\nvoid entry() {\n  J(fo, rk)();\n}\n";
  CHECK(look(maker, source).refused.front().where->line == 3);
}

TEST_CASE("replaced operators and libraries used through symbols have lines") {
  ObjectMaker operators = with_entry();
  operators.define("_Znam");
  const grader::Diagnostic found =
      look(operators, "\nvoid* operator new[](std::size_t n) { return 0; }\n").refused.front();
  CHECK_THAT(found.what, contains("`operator new[]`"));
  CHECK(found.where->line == 2);
  ObjectMaker threads = with_entry();
  threads.use(threads.import("GOMP_parallel"));
  threads.use(threads.import("omp_get_thread_num"));
  const Findings all = look(threads, "void entry() {\n#pragma omp parallel\n}\n");
  REQUIRE(all.refused.size() == 1);
  CHECK_THAT(all.refused.front().what, contains("openmp (`GOMP_parallel`)"));
  CHECK(all.refused.front().where->line == 2);
}

TEST_CASE("what regular expressions, casts, complex numbers, text and dates need passes") {
  for (const char* name : {"__dynamic_cast", "__once_proxy", "cexpf", "cabs", "__ctype_b_loc", "isupper",
                           "strdup", "wcslen", "wmemcpy", "gmtime", "strftime", "timespec_get"}) {
    ObjectMaker maker = with_entry();
    maker.use(maker.import(name));
    INFO(name);
    const Findings findings = look(maker);
    CHECK(findings.refused.empty());
    CHECK(findings.unknown_imports.empty());
  }
}

TEST_CASE("a lab can permit more") {
  ObjectMaker maker = with_entry();
  maker.use(maker.import("getenv"));
  CHECK(code_of(look(maker)) == "WG-S20");
  CHECK(look(maker, "", {.entries = {"entry"}, .allow_symbols = {"getenv"}}).refused.empty());
}

TEST_CASE("an unknown import is left for the linker to decide") {
  ObjectMaker maker = with_entry();
  maker.use(maker.import("_Z6helperi"));
  const Findings findings = look(maker);
  CHECK(findings.refused.empty());
  REQUIRE(findings.unknown_imports.size() == 1);
  CHECK_THAT(findings.unknown_imports.front().what, contains("`helper`, which is not among"));
}

TEST_CASE("definitions of reserved symbols are refused, entries and local symbols are not") {
  ObjectMaker maker = with_entry();
  maker.define("cudaMemcpy");
  CHECK(code_of(look(maker)) == "WG-S21");
  ObjectMaker local = with_entry();
  local.define("cudaMemcpy", STB_LOCAL);
  CHECK(look(local).refused.empty());
  ObjectMaker step;
  step.define("remove");
  CHECK(look(step, "", {.entries = {"remove"}}).refused.empty());
}

TEST_CASE("code that runs at load time is refused unless the compiler generated it") {
  ObjectMaker maker = with_entry();
  maker.list_initialiser(maker.define("early", STB_LOCAL));
  const Findings findings = look(maker, "void early();\n");
  REQUIRE(code_of(findings) == "WG-S22");
  CHECK(findings.refused.front().where->line == 1);
  ObjectMaker registration = with_entry();
  registration.list_initialiser(registration.define("_ZL24__sti____cudaRegisterAllv", STB_LOCAL));
  CHECK(look(registration).refused.empty());
  ObjectMaker faked = with_entry();
  faked.list_initialiser(faked.define("__cuda_module_ctor"));
  CHECK(code_of(look(faked)) != "");
  ObjectMaker chosen = with_entry();
  chosen.define("fast", STB_LOCAL, STT_GNU_IFUNC);
  CHECK(code_of(look(chosen)) == "WG-S22");
}

TEST_CASE("machine code that calls the system, is writable or is data is refused") {
  ObjectMaker call;
  call.code = std::string("\x0f\x05\xc3", 3);
  call.define("entry");
  CHECK_THAT(look(call).refused.at(0).what, contains("`syscall` in `entry`"));
  ObjectMaker writable = with_entry();
  writable.code_flags |= SHF_WRITE;
  CHECK(code_of(look(writable)) == "WG-S24");
  ObjectMaker data = with_entry();
  data.define("payload", STB_LOCAL, STT_OBJECT);
  CHECK(code_of(look(data)) == "WG-S24");
}

TEST_CASE("a system call inside an operand is refused if the object refers to its bytes") {
  ObjectMaker maker;
  maker.code = std::string("\x48\xb8\x90\x0f\x05\xc3\x90\x90\x90\x90\xc3", 11);
  maker.define("entry");
  CHECK(look(maker).refused.empty());
  maker.use_code(0);
  CHECK(look(maker).refused.empty());
  maker.use_code(3);
  CHECK(code_of(look(maker)) == "WG-S24");
}

TEST_CASE("forbidden libraries are refused by header and by symbol") {
  const std::string source = "#include <thrust/sort.h>\n";
  CHECK(code_of(examine_source({source, "lab.cu"}, kRules)) == "WG-S25");
  ObjectMaker maker = with_entry();
  maker.define("_ZN6thrust4sortEv", STB_WEAK);
  CHECK(code_of(look(maker)) == "WG-S25");
  const Rules permitting{.entries = {"entry"}, .forbid_libraries = {"cub"}};
  CHECK(look(maker, source, permitting).refused.empty());
  CHECK(examine_source({source, "lab.cu"}, permitting).refused.empty());
}

TEST_CASE("tensor cores are refused with their line, unless the lab permits them") {
  const std::string source = "void f() {\n  mma_sync(c, a, b, c);\n}\n",
                    ptx = ".file 1 \"/src/lab.cu\"\n.loc 1 2 3\nwmma.mma.sync.aligned;\n";
  const Findings found = examine_device_code(ptx, {source, "lab.cu"}, kRules);
  REQUIRE(code_of(found) == "WG-S25");
  CHECK_THAT(found.refused.front().what, contains("tensor cores (`wmma.mma`)"));
  CHECK(found.refused.front().source_line == "  mma_sync(c, a, b, c);");
  const Rules permitting{.entries = {"entry"}, .forbid_libraries = {"thrust"}};
  CHECK(examine_device_code(ptx, {source, "lab.cu"}, permitting).refused.empty());
  CHECK(examine_device_code("ret;\n", {source, "lab.cu"}, kRules).refused.empty());
}

TEST_CASE("a million violations are reported a few times") {
  ObjectMaker maker = with_entry();
  for (int i = 0; i < 50'000; ++i) maker.use(maker.import("fopen"));
  for (int i = 0; i < 40'000; ++i) maker.import("unknown_" + std::to_string(i));
  const Findings findings = look(maker);
  CHECK(findings.refused.size() <= kMaxFindings);
  CHECK(findings.unknown_imports.size() <= 32);
}

TEST_CASE("nothing but the entries is exported") {
  CHECK(export_list({.entries = {"blur", "sum"}}) == "{ global: blur; sum; local: *; };\n");
}

TEST_CASE("inline assembly is reported with its function, its line and the line's text") {
  const std::string source = "void f(int) {\n  asm volatile(\"mfence\");\n}\n";
  const Findings found = examine_assembly(
      "_Z1fi:\n\t.file 1 \"/src/lab.cu\"\n\t.loc 1 2 3\n#APP\n# 2 \"/src/lab.cu\" 1\n\tmfence\n# 0 \"\" "
      "2\n#NO_APP\n",
      {source, "lab.cu"}, kRules);
  REQUIRE(code_of(found) == "WG-S23");
  CHECK_THAT(found.refused.front().what, contains("in `f`"));
  CHECK(found.refused.front().where->line == 2);
  CHECK(found.refused.front().source_line == "  asm volatile(\"mfence\");");
  CHECK(examine_assembly("_Z1fi:\n\tret\n", {source, "lab.cu"}, kRules).refused.empty());
}

TEST_CASE("inline assembly at file scope has the line of its word") {
  const std::string source = "int x;\n__asm__(\"nop\");\n";
  const Findings found = examine_assembly("#APP\n\tnop\n#NO_APP\n", {source, "lab.cu"}, kRules);
  REQUIRE(code_of(found) == "WG-S23");
  CHECK(found.refused.front().where->line == 2);
}

TEST_CASE("inline assembly whose word a macro forms has the line of its text") {
  const std::string source = "#define GLUE(a, b) a##b\n\nGLUE(as, m)(\".rept 9\\n.quad 0\\n.endr\");\n";
  const std::string assembly = "#APP\n\t.rept 9\n.quad 0\n.endr\n#NO_APP\n";
  const Findings found = examine_assembly(assembly, {source, "lab.cu"}, kRules);
  REQUIRE(code_of(found) == "WG-S23");
  CHECK(found.refused.front().where->line == 3);
}
