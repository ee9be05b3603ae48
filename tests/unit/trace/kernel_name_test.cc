#include "trace/kernel_name.h"

#include <gtest/gtest.h>

namespace sonde {
namespace kernel_name_test {

TEST(ShortKernelName, StripsTypeArgumentsAndParameters) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                              "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)"),
            "vectorized_elementwise_kernel");
  EXPECT_EQ(short_kernel_name("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel2<cutlass_80_gemm>(cutlass_80_gemm::Params)"), "Kernel2");
  EXPECT_EQ(short_kernel_name("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, 7>(T)"),
            "kernel");
}

TEST(ShortKernelName, LeavesPlainNames) {
  EXPECT_EQ(short_kernel_name("ampere_sgemm_128x64_nn"), "ampere_sgemm_128x64_nn");
  EXPECT_EQ(short_kernel_name("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
  EXPECT_EQ(short_kernel_name("my kernel 3"), "my kernel 3");
  EXPECT_EQ(short_kernel_name(""), "");
}

TEST(ShortKernelName, PassesUnnamedScopes) {
  EXPECT_EQ(short_kernel_name("void (anonymous namespace)::softmax_warp_forward<float, 10>(float*, int)"),
            "softmax_warp_forward");
  EXPECT_EQ(short_kernel_name("void at::native::<unnamed>::reduce<512>(int)"), "reduce");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::copy_kernel(int) [clone .kd]"), "copy_kernel");
  EXPECT_EQ(short_kernel_name("Cijk_Ailk_Bljk_HHS_BH_MT128x128 [clone .kd]"), "Cijk_Ailk_Bljk_HHS_BH_MT128x128");
}

TEST(ShortKernelName, ReadsOperatorsAndLambdas) {
  EXPECT_EQ(short_kernel_name("void Functor<int>::operator()(int) const"), "operator()");
  EXPECT_EQ(short_kernel_name("void Functor::operator()<float>(int) const"), "operator()");
  EXPECT_EQ(short_kernel_name("Stream& ns::operator<<(Stream&, int)"), "operator<<");
  EXPECT_EQ(short_kernel_name("bool A::operator<(A const&) const"), "operator<");
  EXPECT_EQ(short_kernel_name("A::operator bool() const"), "operator bool");
  EXPECT_EQ(short_kernel_name("void launch<int>(int)::{lambda(int)#1}::operator()(int) const"), "operator()");
  EXPECT_EQ(short_kernel_name("launch(int)::{lambda(int)#1}"), "{lambda(int)#1}");
  EXPECT_EQ(short_kernel_name("void f<void g(int)::[lambda(int) (instance 1)]>(int)"), "f");
  EXPECT_EQ(short_kernel_name("void f<decltype(a->b), (A > 3)>(int)"), "f");
  EXPECT_EQ(short_kernel_name("decltype(x) ns::f<int>(int)"), "f");
}

TEST(ShortKernelName, TakesUnbalancedTextAsFarAsItGoes) {
  EXPECT_EQ(short_kernel_name("void at::native::elementwise_kernel<128, 4, at::na"), "elementwise_kernel");
  EXPECT_EQ(short_kernel_name("void ns::f(int, std::ve"), "f");
  EXPECT_EQ(short_kernel_name("ns::f)>"), "f)>");
  EXPECT_EQ(short_kernel_name("<<<"), "<<<");
  EXPECT_EQ(short_kernel_name("("), "(");
  EXPECT_EQ(short_kernel_name("f::"), "f::");
}

TEST(KernelNameOfNcu, HasNoCastsOfIntegers) {
  EXPECT_EQ(without_casts("void f<(int)128, (bool)1>(const float *, float *)"),
            "void f<128, 1>(const float *, float *)");
  EXPECT_EQ(without_casts("g<(unsigned long)3, (int)-1, h<(short)2>>(int)"), "g<3, -1, h<2>>(int)");
  EXPECT_EQ(without_casts("f<(ns::Color)1>(int)"), "f<(ns::Color)1>(int)");
  EXPECT_EQ(without_casts("f(int)"), "f(int)");
  EXPECT_EQ(without_casts("f("), "f(");
}

TEST(KernelNameOfNcu, HasBlanksBeforePointersOnTheSourcePage) {
  EXPECT_EQ(with_spaced_pointers("f(double const*, double*, unsigned long)"),
            "f(const double *, double *, unsigned long)");
  EXPECT_EQ(with_spaced_pointers("void f<(int)8>(const float *, float *)"), "void f<(int)8>(const float *, float *)");
  EXPECT_EQ(with_spaced_pointers("f(std::vector<int>*)"), "f(std::vector<int>*)");
  EXPECT_EQ(with_spaced_pointers("ampere_sgemm_128x64_nn"), "ampere_sgemm_128x64_nn");
  EXPECT_EQ(with_spaced_pointers("f()"), "f()");
}

}  // namespace kernel_name_test
}  // namespace sonde
