#include "base/text/suggest.h"

#include <array>

#include <gtest/gtest.h>

namespace sonde {
namespace suggest_test {

constexpr std::array<std::string_view, 3> kKnown = {"cuda_gpu_kern_sum", "cuda_api_sum", "nvtx_sum"};

TEST(Suggest, FindsATypingMistake) {
  EXPECT_EQ(nearest("cuda_gpu_kernel_sum", kKnown), "cuda_gpu_kern_sum");
  EXPECT_EQ(did_you_mean("nvtxsum", kKnown), ", did you mean 'nvtx_sum'?");
}

TEST(Suggest, StaysSilentWhenNothingIsNear) { EXPECT_EQ(did_you_mean("gpu_metrics", kKnown), ""); }

}  // namespace suggest_test
}  // namespace sonde
