#include "analyses/kernels/function_identity.h"

#include <gtest/gtest.h>

namespace sonde {
namespace function_identity_test {

bool same_names(const FunctionNames& a, const FunctionNames& b) {
  const std::vector<FunctionNames> both = {a, b};
  const auto numbers = number_functions(both);
  return numbers[0] == numbers[1];
}
bool same(std::string_view a, std::string_view b) { return same_names({a, {}}, {b, {}}); }

TEST(FunctionIdentity, demanglers_write_one_declaration_differently) {
  EXPECT_TRUE(same("vector_add(double const*, double const*, unsigned long, double*)",
                   "vector_add(const double *, const double *, unsigned long, double *)"));
  EXPECT_TRUE(same("void tile<(int)64, (bool)1, (net::Kind)2>(int)", "void tile<64, true, 2>(int)"));
  EXPECT_TRUE(same("void f<(int)-1>(int)", "void f<-1>(int)"));
  EXPECT_TRUE(same("void f<4ul>(Storage<4096u>)", "void f<4>(Storage<4096>)"));
  EXPECT_TRUE(same("void a::<unnamed>::f(int)", "a::(anonymous namespace)::f(int) [clone .x]"));
  EXPECT_TRUE(same("void f<[lambda(float) (instance 2)]>(int)", "void f<{lambda(float)#2}>(int)"));
  EXPECT_TRUE(same("std::enable_if<!(false), void>::type b::gemv<7>(int)", "void b::gemv<7>(int)"));
}

TEST(FunctionIdentity, different_functions_stay_apart) {
  EXPECT_FALSE(same("void tile<(int)64>(int)", "void tile<(int)32>(int)"));
  EXPECT_FALSE(same("void tile<64>(int)", "void other::tile<64>(int)"));
  EXPECT_FALSE(same("add(float*)", "add(double*)"));
  EXPECT_FALSE(same("triton_poi_fused_add_0", "triton_poi_fused_add_1"));
  EXPECT_FALSE(same("void f<{lambda(float)#1}>(int)", "void f<{lambda(float)#2}>(int)"));
}

TEST(FunctionIdentity, parameters_in_terms_of_template_parameters_are_not_compared) {
  EXPECT_TRUE(
      same("void fill<(int)4, float>(T2 *, const T2 *, int)", "void fill<4, float>(float*, float const*, int)"));
  EXPECT_FALSE(
      same("void fill<(int)4, float>(T2 *, const T2 *, int)", "void fill<4, double>(double*, double const*, int)"));
}

TEST(FunctionIdentity, a_bare_name_is_any_function_of_that_name) {
  EXPECT_TRUE(same("gemm", "void net::gemm<64>(float*)"));
  const std::vector<FunctionNames> names = {{"gemm", {}}, {"void gemm<1>(int)", {}}, {"void gemm<2>(int)", {}}};
  const auto numbers = number_functions(names);
  EXPECT_EQ(numbers[1], numbers[2]);
  EXPECT_FALSE(
      same_names({"gemm", "gemm"}, {"void gemm<1>(int)", "_Z4gemmILi1EEvi"}));  // C linkage: this is its whole name
}

TEST(FunctionIdentity, the_linkers_name_is_enough) {
  EXPECT_TRUE(same_names({"void f<X>(int)", "_Z1fI1XEvi"}, {"void f<Y>(int)", "_Z1fI1XEvi"}));
  EXPECT_TRUE(same_names({"_Z1fI1XEvi", "_Z1fI1XEvi"}, {"void f<X>(int)", "_Z1fI1XEvi"}));
}

}  // namespace function_identity_test
}  // namespace sonde
