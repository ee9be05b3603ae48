#include "trace/brief_kernel_name.h"

#include <gtest/gtest.h>

namespace sonde::brief_kernel_name_test {
namespace {

TEST(BriefKernelName, LeavesOutWhatAllKernelsShare) {
  EXPECT_EQ(brief_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                              "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, "
                              "at::detail::Array<char*, 1>)"),
            "vectorized_elementwise_kernel<4, FillFunctor<…>, Array<…>>");
  EXPECT_EQ(brief_kernel_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"),
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  EXPECT_EQ(brief_kernel_name("void (anonymous namespace)::softmax_warp_forward<float, float, float, (int)8, "
                              "(bool)0>(float *, const T1 *, int)"),
            "softmax_warp_forward<float, float, float, 8, 0>");
}

TEST(BriefKernelName, KeepsTheNamespaceOfANameThatSaysLittle) {
  EXPECT_EQ(brief_kernel_name("void xmma_cudnn::gemm::kernel<xmma_cudnn::implicit_gemm::wgrad_indexed::Kernel_traits<"
                              "xmma_cudnn::Ampere_hmma_tf32_traits<unsigned int, float>, xmma_cudnn::Cta_tile<"
                              "xmma_cudnn::Ampere, (int)64, (int)64>>>(T1::Params)"),
            "gemm::kernel<wgrad_indexed::Kernel_traits<…>>");
}

TEST(BriefKernelName, LeavesOtherNamesAlone) {
  for (const char* name : {"aten::mm", "k0", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                           "autograd::engine::evaluate_function: AddmmBackward0", "step(12)", "", "<", "a>", "()",
                           "[CUDA memcpy Host-to-Device]"}) {
    EXPECT_EQ(brief_kernel_name(name), name);
  }
}

TEST(BriefKernelName, IsNeverLongerThanItsLimit) {
  const std::string long_name = "void f<" + std::string(500, 'a') + ">(int)";
  EXPECT_EQ(brief_kernel_name(long_name).substr(0, 4), "f<aa");
  EXPECT_LE(brief_kernel_name(long_name).size(), kLongestBriefName + 2);  // "…" has three bytes
}

}  // namespace
}  // namespace sonde::brief_kernel_name_test
