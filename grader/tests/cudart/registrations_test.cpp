// Pages that registrations pin: each counts once, as long as a registration uses it.

#include "vgpu/cudart/device_side/registrations.hpp"

#include "catch.hpp"

namespace registrations_test {

using vgpu::cudart::Registrations;

constexpr std::uint64_t kPage = 4096;

TEST_CASE("a page that several registrations share counts once, until the last of them ends") {
  Registrations registrations;
  registrations.begin(10 * kPage + 100, 200);
  CHECK(registrations.page_bytes() == kPage);
  registrations.begin(10 * kPage + 300, 100);
  registrations.begin(10 * kPage, 50);
  CHECK(registrations.page_bytes() == kPage);
  registrations.begin(10 * kPage + 400, 2 * kPage);
  CHECK(registrations.page_bytes() == 3 * kPage);
  registrations.begin(12 * kPage + 400, kPage - 400);
  CHECK(registrations.page_bytes() == 3 * kPage);
  registrations.end(10 * kPage + 400);
  CHECK(registrations.page_bytes() == 2 * kPage);
  registrations.end(10 * kPage);
  registrations.end(10 * kPage + 300);
  CHECK(registrations.page_bytes() == 2 * kPage);
  registrations.end(10 * kPage + 100);
  registrations.end(12 * kPage + 400);
  CHECK(registrations.page_bytes() == 0);
}

TEST_CASE("a range is held if one registration contains all of it") {
  Registrations registrations;
  registrations.begin(kPage, 100);
  registrations.begin(kPage + 100, 100);
  CHECK(registrations.hold(kPage, 100));
  CHECK(registrations.hold(kPage + 150, 50));
  CHECK_FALSE(registrations.hold(kPage + 50, 100));
  CHECK_FALSE(registrations.hold(kPage - 1, 2));
  CHECK_FALSE(registrations.hold(kPage + 200, 4));
  registrations.end(kPage);
  CHECK_FALSE(registrations.hold(kPage, 100));
}

TEST_CASE("windows that move over an array pin two windows and no more") {
  Registrations registrations;
  constexpr std::uint64_t kWindow = 3 * kPage + 40, kStart = 5 * kPage + 16;
  registrations.begin(kStart, kWindow);
  for (std::uint64_t i = 1; i < 100; ++i) {
    registrations.begin(kStart + i * kWindow, kWindow);
    CHECK(registrations.page_bytes() <= 2 * kWindow + 2 * kPage);
    registrations.end(kStart + (i - 1) * kWindow);
  }
  registrations.end_all();
  CHECK(registrations.page_bytes() == 0);
}

TEST_CASE("registrations that no right client sends change nothing") {
  Registrations registrations;
  registrations.begin(4 * kPage, kPage);
  registrations.begin(4 * kPage + 10, 10);
  registrations.begin(3 * kPage, 3 * kPage);
  registrations.begin(4 * kPage - 1, 2);
  registrations.begin(~std::uint64_t{0}, 8);
  registrations.begin(9 * kPage, 0);
  registrations.end(9 * kPage);
  CHECK(registrations.page_bytes() == kPage);
}

}  // namespace registrations_test
