#include "analyses/kernels/kernel_class.h"

#include <gtest/gtest.h>

namespace sonde {
namespace kernel_class_test {

TEST(KernelClass, IsToldByTheName) {
  EXPECT_EQ(kernel_class("void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>, false>(Flash_fwd_params)"),
            KernelClass::attention);
  EXPECT_EQ(kernel_class("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float>(float*, int)"),
            KernelClass::softmax);
  EXPECT_EQ(kernel_class("void gemv2T_kernel_val<int, int, double, double>(cublasGemvParamsEx<int, double>)"),
            KernelClass::matrix_vector);
  EXPECT_EQ(kernel_class("void at::native::vectorized_elementwise_kernel<4, at::native::add_functor<float>>(int)"),
            KernelClass::elementwise);
  EXPECT_EQ(kernel_class("addVectors(float*, float*)"), KernelClass::other);
}

TEST(KernelClass, ProductsWithoutTensorCoresAreToldFromOthers) {
  EXPECT_EQ(kernel_class("ampere_sgemm_128x64_nn"), KernelClass::matrix_float32);
  EXPECT_EQ(kernel_class("volta_scudnn_128x64_relu_interior_nn_v1"), KernelClass::matrix_float32);
  EXPECT_EQ(kernel_class("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3"),
            KernelClass::matrix_float32);
  EXPECT_EQ(kernel_class("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16_stage4"),
            KernelClass::matrix_tensor);
  EXPECT_EQ(kernel_class("cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4"), KernelClass::matrix_tensor);
  EXPECT_EQ(kernel_class("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"), KernelClass::matrix_tensor);
  EXPECT_EQ(kernel_class("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT"), KernelClass::matrix_tensor);
  EXPECT_EQ(kernel_class("void gemmk1_kernel<float, 256, 5>(cublasGemmk1Params<float>)"), KernelClass::matrix);
}

}  // namespace kernel_class_test
}  // namespace sonde
