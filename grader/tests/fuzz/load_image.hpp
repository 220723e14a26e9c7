// Does what an untrusted program can make the virtual GPU do with its image: unpack and parse the image,
// decode its kernels, and run a few hundred instructions of each. For libFuzzer (image_fuzzer.cpp) and for
// the replay of its findings (corpus_test.cpp).
#pragma once

#include <cstddef>
#include <span>

namespace fuzz {

/// The test: must not crash, hang or throw, whatever the bytes are.
void load_image(std::span<const std::byte> image);

}  // namespace fuzz
