// Instantiates the members of JSON values, once for all modules.
#include "base/precompiled.hpp"

template class nlohmann::basic_json<>;
