// Prints the CPU seconds that LLVM's ORC needs for a kernel of the native spike: orc-time FILE.bc…, where
// clang++ has translated the C++ to bitcode without optimising it (run.sh). Optimises as clang -O2 does and
// generates machine code in this process. Not part of the virtual GPU; built by run.sh if LLVM's headers are
// installed.
#include <cstdio>
#include <ctime>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

}  // namespace

int main(int argc, char** argv) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const llvm::ExitOnError check("orc-time: ");
  for (int i = 1; i < argc; ++i) {
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic error;
    auto module = llvm::parseIRFile(argv[i], error, *context);
    if (!module) {
      std::fprintf(stderr, "orc-time: cannot read %s\n", argv[i]);
      return 1;
    }
    auto target = check(llvm::orc::JITTargetMachineBuilder::detectHost());
    target.setCodeGenOptLevel(llvm::CodeGenOpt::Default);
    const auto machine = check(target.createTargetMachine());
    auto jit = check(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(target).create());
    jit->getMainJITDylib().addGenerator(check(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit->getDataLayout().getGlobalPrefix())));
    const double start = cpu_seconds();
    optimise(*module, *machine);
    const double optimised = cpu_seconds();
    check(jit->addIRModule({std::move(module), std::move(context)}));
    const auto kernel = check(jit->lookup("kernel"));
    if (kernel.getAddress() == 0) return 1;
    std::printf("ORC, %s: optimise %.2f s, generate %.2f s\n", argv[i], optimised - start,
                cpu_seconds() - optimised);
  }
  return 0;
}
