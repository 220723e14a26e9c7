// The members of JSON values that all modules share.
#include "base/precompiled.hpp"

template class nlohmann::basic_json<>;
