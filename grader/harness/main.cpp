// The program that runs a submission: harness-virtual (linked to the virtual GPU's libcudart) and
// harness-cuda (linked to the toolkit's) from the same sources. The harness shares its address space with the
// student's code, so the grader does not trust it.
//
// Usage: harness-… SHARED-OBJECT [exact-arrays], with the channel on descriptor 3 (job.hpp); or harness-…
// --query; or harness-… --hold, with the channel on descriptor 3
#include <cstdio>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#include "harness/adapters.hpp"
#include "harness/guarded_memory.hpp"
#include "harness/link.hpp"
#include "harness/query.hpp"
#include "harness/system_call_guard.hpp"

#ifdef WARPGRADE_VIRTUAL_HARNESS
#include "vgpu/cudart/client/core/end_report.hpp"
#endif

// In sanitizer builds, too, a crash of the student's code must end the process by its signal.
#if defined(__SANITIZE_ADDRESS__)
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
}
#elif defined(__SANITIZE_THREAD__)
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
}
#endif

namespace {

using namespace grader::harness;

/// The library's own function of that name; nullptr if it has none, even if a library that it is linked with
/// has one (the C library has a `step`).
void* find_function(void* library, const char* shared_object, const std::string& name) {
  void* function = ::dlsym(library, name.c_str());
  Dl_info place{};
  const bool is_its_own = function != nullptr && ::dladdr(function, &place) != 0 &&
                          std::strcmp(place.dli_fname, shared_object) == 0;
  return is_its_own ? function : nullptr;
}

/// The grader sends no other job after a reply of another kind, or after a problem.
bool is_proper_answer(const Reply& reply) {
  const auto* answer = std::get_if<Answer>(&reply);
  return answer != nullptr && answer->problem.empty();
}

Reply run(const char* shared_object, Job& job, Link& link) {
  const Adapter adapter = find_adapter(job.adapter);
  if (adapter == nullptr) return Answer{.problem = "the harness has no adapter " + job.adapter};
#ifdef WARPGRADE_VIRTUAL_HARNESS  // a real GPU's driver loads more libraries later
  guard_system_calls();
#endif
  void* library = ::dlopen(shared_object, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Answer{.problem = std::string("dlopen: ") + ::dlerror()};
  Functions functions{{job.entry, find_function(library, shared_object, job.entry)}};
  if (functions.at(job.entry) == nullptr) return NoEntry{};
  for (const EarlierCall& one : job.earlier) {
    const std::string& name = function_of(one, job);
    functions.emplace(name, find_function(library, shared_object, name));
  }
  return adapter(functions, job, link);
}

/// This process ends without destructors, so the virtual GPU's runtime needs an explicit call to complete its
/// report. The runtime of a real GPU has no report.
void complete_report() {
#ifdef WARPGRADE_VIRTUAL_HARNESS
  warpgradeEndReport();
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--query") == 0) return print_devices();
  if (argc == 2 && std::strcmp(argv[1], kHold) == 0) return hold_devices(kChannelDescriptor);
  if (argc == 3 && std::strcmp(argv[2], kExactArrays) == 0)
    leave_out_device_zones();
  else if (argc != 2)
    return std::fputs("usage: harness SHARED-OBJECT [exact-arrays] | --query | --hold\n", stderr), 2;
  Link link(kChannelDescriptor);
  for (;;) {
    // The first job is received before any code of the submission runs (its static constructors run in
    // dlopen).
    Job job = link.receive_job();
    const Reply reply = run(argv[1], job, link);
    std::fflush(nullptr);  // the student's output
    const bool is_last = job.is_last || !is_proper_answer(reply);
    if (is_last) complete_report();
    link.send(reply);
    if (is_last) ::_exit(0);  // no destructors or atexit handlers of the submission
  }
}
