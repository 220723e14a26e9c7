#include "policy/symbol_names.hpp"

#include "catch.hpp"

using namespace grader::policy;

TEST_CASE("names that compiled C++ needs are permitted") {
  for (const char* name : {"memcpy",
                           "__memcpy_chk",
                           "printf",
                           "__printf_chk",
                           "__isoc23_strtol",
                           "sinf",
                           "powl",
                           "fmax",
                           "cudaMalloc",
                           "__cudaRegisterFatBinary",
                           "_Znwm",
                           "_ZdlPvm",
                           "_ZSt4cout",
                           "_ZNSo5flushEv",
                           "_ZNSt8ios_base4InitC1Ev",
                           "_ZSt21ios_base_library_initv",
                           "_ZTVN10__cxxabiv117__class_type_infoE",
                           "_ZNSt6chrono3_V212steady_clock3nowEv",
                           "__cxa_throw",
                           "_ZTIPKc",
                           "_ZTISt9exception",
                           "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
                           "__stack_chk_fail"})
    CHECK(opinion_on_import(name).standing == Standing::permitted);
}

TEST_CASE("names that reach beyond the program are refused with a reason and the source's spelling") {
  CHECK(opinion_on_import("fopen").reason == "opens, reads or changes files");
  CHECK(opinion_on_import("__read_chk").standing == Standing::refused);
  CHECK(opinion_on_import("_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode").shown ==
        "std::ofstream");
  CHECK(opinion_on_import(
            "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE")
            .shown == "std::thread");
  for (const char* name : {"syscall", "mmap", "dlsym", "ptrace", "pthread_create", "socket", "getenv",
                           "_Exit", "cudaIpcGetMemHandle", "cudaGetDriverEntryPoint"})
    CHECK(opinion_on_import(name).standing == Standing::refused);
}

TEST_CASE("unknown names are neither permitted nor refused") {
  CHECK(opinion_on_import("_Z6helperi").standing == Standing::unknown);
  CHECK(opinion_on_import("backtrace").standing == Standing::unknown);
  CHECK(opinion_on_import("").standing == Standing::unknown);
  CHECK(opinion_on_import("_Z").standing == Standing::unknown);
}

TEST_CASE("names of libraries and the grader are reserved, helpers are not") {
  CHECK(reserved_for("cudaMemcpy"));
  CHECK(reserved_for("clock_gettime"));
  CHECK(reserved_for("_Znwm"));
  CHECK(reserved_for("main"));
  CHECK(reserved_for("_ZN6grader7harness4Link4sendEv"));
  CHECK(reserved_for("__my_name"));
  CHECK_FALSE(reserved_for("_Z9grid_sizei"));
  CHECK_FALSE(reserved_for("grid_size"));
  CHECK_FALSE(reserved_for("_Z26__device_stub__Z4tilePKfPfiPKfPfi"));
  CHECK_FALSE(reserved_for("DW.ref.__gxx_personality_v0"));
  CHECK_FALSE(reserved_for("__clang_call_terminate"));
  CHECK_FALSE(reserved_for("_ZNSt6vectorIiSaIiEED1Ev"));
}

TEST_CASE("forbidden libraries are recognised by their names and headers") {
  CHECK(library_of_symbol("_ZN6thrust4sortEv") == "thrust");
  CHECK(library_of_symbol("_ZN3cub17CUB_200500_800_NS11DeviceScanEv") == "cub");
  CHECK(library_of_symbol("cublasSgemm_v2") == "cublas");
  CHECK(library_of_symbol("GOMP_parallel") == "openmp");
  CHECK(library_of_symbol("_Z3cubef").empty());
  CHECK(library_of_header("thrust/sort.h") == "thrust");
  CHECK(library_of_header("cub/cub.cuh") == "cub");
  CHECK(library_of_header("vector").empty());
}

TEST_CASE("names are shown in readable form with bounded length") {
  CHECK(readable("_Z6helperi") == "helper");
  CHECK(readable("_ZN5Table4fillEv") == "Table::fill");
  CHECK(readable("_ZL24__sti____cudaRegisterAllv") == "__sti____cudaRegisterAll");
  CHECK(readable("_ZN99999x") == "_ZN99999x");
  CHECK(readable("_ZNSt13__future_base13_State_baseV2E") == "std::__future_base::_State_baseV2");
  CHECK(readable("_ZSt4cout") == "std::cout");
  CHECK(readable("_Znwm") == "operator new");
  CHECK(readable("_ZdaPvm") == "operator delete[]");
  CHECK(readable("a\n\x1b[31m") == "a??[31m");
  CHECK(readable(std::string(100'000, 'a')).size() == 160);
  CHECK(readable("_Z" + std::string(100'000, '9')).size() == 160);
}
