#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "inject/cupti/layouts.h"

namespace sonde::inject::cupti {
namespace cupti_layouts_test {

/// A record as CUPTI writes it: 256 bytes, all 0xEE but what was put.
class CuptiBytes {
 public:
  CuptiBytes() { bytes_.fill(0xEE); }
  template <typename T>
  CuptiBytes& put(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  [[nodiscard]] const uint8_t* data() const { return bytes_.data(); }

 private:
  std::array<uint8_t, 256> bytes_{};
};

uint32_t length_of(const char* text) { return text == nullptr ? 0 : static_cast<uint32_t>(std::strlen(text)); }

template <typename Body>
Body transcribed(Activity activity, uint32_t version, const CuptiBytes& record) {
  const Layout* const layout = layout_of(static_cast<uint32_t>(activity));
  EXPECT_EQ(wire::cuda_body_bytes(layout->kind), sizeof(Body));
  Body body{};
  transcribe(*layout, version, record.data(), reinterpret_cast<std::byte*>(&body), length_of);
  return body;
}

TEST(CuptiLayouts, VersionsBeyondTheTableAreRefused) {
  EXPECT_FALSE(is_known_version(14));
  EXPECT_TRUE(is_known_version(15));
  EXPECT_TRUE(is_known_version(28));
  EXPECT_FALSE(is_known_version(29));
  EXPECT_FALSE(is_known_version(129999));
  EXPECT_TRUE(is_known_version(130001));
  EXPECT_TRUE(is_known_version(130401));
  EXPECT_FALSE(is_known_version(130500));
}

TEST(CuptiLayouts, KindsThatAreNotTakenHaveNone) {
  EXPECT_EQ(layout_of(0), nullptr);
  EXPECT_EQ(layout_of(3), nullptr);
  EXPECT_EQ(layout_of(54), nullptr);
}

/// sizeof() of the structures in NVIDIA's headers, and behind 13.0 of the members that its reference of CUPTI lists.
TEST(CuptiLayouts, RecordsGrewFromVersionToVersion) {
  const auto sizes = [](Activity activity) {
    std::vector<uint32_t> all;
    for (const uint32_t version : {15U, 17U, 18U, 19U, 26U, 130000U, 130300U, 130400U}) {
      all.push_back(record_bytes(*layout_of(static_cast<uint32_t>(activity)), version));
    }
    return all;
  };
  EXPECT_EQ(sizes(Activity::kernel), (std::vector<uint32_t>{168, 176, 200, 208, 208, 216, 224, 240}));
  EXPECT_EQ(sizes(Activity::copy), (std::vector<uint32_t>{80, 88, 88, 88, 96, 96, 96, 112}));
  EXPECT_EQ(sizes(Activity::runtime), (std::vector<uint32_t>{40, 40, 40, 40, 40, 40, 40, 40}));
  EXPECT_EQ(sizes(Activity::unified_memory), (std::vector<uint32_t>{64, 64, 64, 64, 104, 104, 104, 104}));
}

TEST(CuptiLayouts, KernelsHaveClustersFromCuda118On) {
  CuptiBytes record;
  record.put<uint64_t>(16, 100).put<uint64_t>(24, 250).put<uint32_t>(40, 1).put<uint32_t>(92, 77);
  record.put<uint32_t>(52, 5).put<uint32_t>(56, 6).put<uint32_t>(60, 7).put<uint32_t>(88, 4096);
  record.put<const char*>(104, "_Z3addPf").put<uint32_t>(176, 2).put<uint64_t>(192, uint64_t{1} << 33U);
  record.put<uint16_t>(6, 42).put<uint8_t>(136, 1);
  const auto old = transcribed<wire::KernelBody>(Activity::kernel, 17, record);
  EXPECT_EQ(std::pair(old.start, old.end), std::pair(int64_t{100}, int64_t{250}));
  EXPECT_EQ(std::pair(old.place.device, old.place.correlation), std::pair(1U, 77U));
  EXPECT_EQ(std::vector(old.grid, old.grid + 3), (std::vector<uint32_t>{5, 6, 7}));
  EXPECT_EQ(old.name, 8U);
  EXPECT_EQ(old.registers, 42);
  EXPECT_EQ(old.launch_type, 1);
  EXPECT_EQ(old.cluster[0], 0U);
  EXPECT_EQ(old.local_bytes_total, 4096U);
  const auto now = transcribed<wire::KernelBody>(Activity::kernel, 18, record);
  EXPECT_EQ(now.cluster[0], 2U);
  EXPECT_EQ(now.local_bytes_total, uint64_t{1} << 33U);
}

TEST(CuptiLayouts, CopiesFromOneGpuToAnotherHaveFieldsOfTheirOwn) {
  CuptiBytes record;
  record.put<uint32_t>(60, 9).put<uint64_t>(72, 11).put<uint8_t>(4, 10);
  const auto peer = transcribed<wire::PeerCopyBody>(Activity::peer_copy, 19, record);
  EXPECT_EQ(std::pair(peer.copy.place.correlation, peer.copy.graph_node), std::pair(9U, uint64_t{11}));
  EXPECT_EQ(peer.copy.kind, 10);
  CuptiBytes plain;
  plain.put<uint32_t>(44, 5).put<uint64_t>(64, 6);
  const auto copy = transcribed<wire::CopyBody>(Activity::copy, 19, plain);
  EXPECT_EQ(std::pair(copy.place.correlation, copy.graph_node), std::pair(5U, uint64_t{6}));
}

TEST(CuptiLayouts, NarrowFieldsLeaveTheRestOfTheirPlaceZero) {
  CuptiBytes record;
  record.put<uint16_t>(50, 3).put<uint16_t>(14, 7);
  EXPECT_EQ(transcribed<wire::SetBody>(Activity::set, 15, record).memory, 3U);
  EXPECT_EQ(transcribed<wire::ContextBody>(Activity::context, 15, record).null_stream, 7U);
}

}  // namespace cupti_layouts_test
}  // namespace sonde::inject::cupti
