// libstdc++ uses __attribute__((__noinline__)) in this header, which CUDA's macro of the same name would
// break.
#pragma push_macro("__noinline__")
#undef __noinline__
#pragma GCC system_header
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
