#include "inject/metrics/base_name.h"

#include <gtest/gtest.h>

#include <string>

// A part of the injected library, which is a shared one with nothing of this to link.
#include "inject/metrics/base_name.cc"  // NOLINT(bugprone-suspicious-include)
#include "record/kernels/function_name.h"

namespace sonde {
namespace base_name_test {

std::string base_of(const char* mangled) {
  const auto part = inject::metrics::base_name(mangled);
  return {part.data, part.bytes};
}

/// Names of kernels as compilers make them: what the injected library finds is what the demangled name says.
TEST(BaseName, IsTheDemangledNamesOwn) {
  for (const char* mangled :
       {"_Z10vector_addPKfS0_Pfi", "_ZN4blas4gemmIfLi128EEEvPKT_S3_PS1_i", "_ZL5localPf",
        "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
        "_ZN7cutlass6KernelINS_4gemm6kernel4GemmIfLb1EEEEEvNT_6ParamsE", "_ZN3foo3BarIiLin5EE6kernelEv",
        "_ZN12_GLOBAL__N_16kernelEPi", "_Z6reduceILi512E6float4EvPT0_", "_ZN3ns11A9transformIJifEEEvDpT_"}) {
    EXPECT_EQ(base_of(mangled), record::function_name(mangled).base) << mangled;
  }
}

TEST(BaseName, TakesWhatItDoesNotUnderstandAsItIs) {
  for (const char* name : {"scale", "triton_poi_fused_add_0d1d2", "", "_Z", "_ZN", "_Z99x", "_ZN5ab", "_Z0"}) {
    EXPECT_EQ(base_of(name), name);
  }
}

}  // namespace base_name_test
}  // namespace sonde
