// What an untrusted program can make the virtual GPU do with an image of its own: unpack it, parse it, decode
// its kernels, and run a few hundred instructions of each. For libFuzzer (image_fuzzer.cpp) and for the
// replay of its finds (corpus_test.cpp).
#pragma once

#include <cstddef>
#include <span>

namespace fuzz {

/// Never crashes, hangs or throws, whatever the bytes are; that is the test.
void load_image(std::span<const std::byte> image);

}  // namespace fuzz
