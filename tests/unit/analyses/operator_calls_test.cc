#include "analyses/operators/operator_calls.h"

#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace operator_calls_test {

using Texts = std::vector<std::string>;

constexpr std::string_view kBfloats = R"(["c10::BFloat16","c10::BFloat16"])";

/// A program with one operator on an H100: 2 * 1024^3 FLOP are 2.1705 us at 989.4 TFLOP/s, its 6 MiB 1.8780 us at
/// 3.35 TB/s.
class Program {
 public:
  explicit Program(std::string gpu = "NVIDIA H100 80GB HBM3")
      : thread_(b_.thread(10, 11)), stream_(b_.stream(10)), op_(b_.domain("torch.operator", DomainKind::op)) {
    b_.device().name = std::move(gpu);
  }
  void operation(int64_t start, int64_t end, std::string_view name, std::string_view shapes, std::string_view types) {
    b_.push_pop(thread_, start, end, name, op_);
    if (!shapes.empty()) b_.inputs(std::string(shapes) + "\n" + std::string(types));
  }
  void kernel(int64_t call, int64_t start, int64_t end, std::string_view name = "nvjet_tst") {
    b_.kernel(stream_, start, end, name, b_.call(thread_, call, call + 1));
  }
  [[nodiscard]] TraceBuilder& builder() { return b_; }
  [[nodiscard]] ThreadId thread() const { return thread_; }
  [[nodiscard]] Trace build() { return b_.build(); }

 private:
  TraceBuilder b_;
  ThreadId thread_;
  StreamId stream_;
  DomainId op_;
};

constexpr std::string_view kSquare = "[[1024,1024],[1024,1024]]";

TEST(TorchOpShapeSum, ComparesAProductWithThePeakOfItsGpu) {
  Program p;
  p.operation(10, 90, "aten::mm", kSquare, kBfloats);
  p.kernel(30, 1000, 5341);
  const Trace trace = p.build();
  const Table table = run_report("torch_op_shape_sum", trace);
  EXPECT_EQ(cells(table, "Name"), (Texts{"aten::mm"}));
  EXPECT_EQ(cells(table, "FLOP Avg (GFLOP)"), (Texts{"2.147"}));
  EXPECT_EQ(cells(table, "Bytes Avg"), (Texts{"6.291"}));
  EXPECT_EQ(cells(table, "Intensity"), (Texts{"341.3"}));
  EXPECT_EQ(cells(table, "Compute (TFLOP/s)"), (Texts{"494.70"}));  // 2147483648 / 4341 ns
  EXPECT_EQ(cells(table, "Memory (TB/s)"), (Texts{"1.449"}));
  EXPECT_EQ(cells(table, "Roofline"), (Texts{"50.0"}));
  EXPECT_EQ(cells(table, "Bound"), (Texts{"compute"}));
  EXPECT_EQ(cells(table, "Precision"), (Texts{"BF16"}));
}

TEST(TorchOpShapeSum, GivesAKernelToTheInnermostOperatorWithShapes) {
  Program p;
  p.operation(10, 90, "aten::linear", "[[1024,1024],[1024,1024],[]]", kBfloats);
  p.operation(20, 80, "aten::mm", kSquare, kBfloats);
  p.operation(25, 70, "a graph", "", "");
  p.kernel(30, 1000, 1300);
  p.kernel(85, 1300, 1400);
  const Trace trace = p.build();
  const Table table = run_report("torch_op_shape_sum", trace);
  EXPECT_EQ(cells(table, "Name"), (Texts{"aten::mm", "aten::linear"}));
  EXPECT_EQ(cells(table, "GPU Time"), (Texts{"300", "100"}));
  EXPECT_EQ(cells(table, "Kernels"), (Texts{"1", "1"}));
  EXPECT_EQ(cells(table, "Compute (TFLOP/s)"), (Texts{"7158.28", "-"}));  // the product inside does the work
}

TEST(TorchOpShapeSum, HasNoRooflineOnAnUnknownGpu) {
  Program p("another");
  p.operation(10, 90, "aten::mm", kSquare, R"(["float","float"])");
  p.kernel(30, 1000, 5341, "some_gemm");
  const Trace trace = p.build();
  const Table table = run_report("torch_op_shape_sum", trace);
  EXPECT_EQ(cells(table, "Roofline"), (Texts{"-"}));  // float32 may be TF32
  EXPECT_EQ(cells(table, "Bound"), (Texts{"-"}));
  EXPECT_EQ(cells(table, "Precision"), (Texts{"-"}));
  EXPECT_EQ(cells(table, "Compute (TFLOP/s)"), (Texts{"494.70"}));
}

TEST(TorchOpRooflineSum, AddsUpTheShapesOfAnOperator) {
  Program p;
  p.operation(10, 90, "aten::mm", kSquare, kBfloats);
  p.kernel(30, 1000, 5341);
  p.operation(110, 190, "aten::mm", "[[1024,1024],[7,1]]", kBfloats);
  p.kernel(130, 6000, 10341);
  const Trace trace = p.build();
  const Table table = run_report("torch_op_roofline_sum", trace);
  EXPECT_EQ(cells(table, "Calls"), (Texts{"2"}));
  EXPECT_EQ(cells(table, "GPU Time"), (Texts{"8682"}));
  EXPECT_EQ(cells(table, "Compute (TFLOP/s)"), (Texts{"494.70"}));
  EXPECT_EQ(cells(table, "Roofline"), (Texts{"50.0"}));
  EXPECT_EQ(cells(table, "Known"), (Texts{"50.0"}));
}

TEST(TorchModuleRooflineSum, CountsOperatorsInTheModulesAroundThem) {
  Program p;
  p.builder().push_pop(p.thread(), 0, 100, "layer");
  p.operation(10, 90, "aten::mm", kSquare, kBfloats);
  p.kernel(30, 1000, 5341);
  const Trace trace = p.build();
  const Table table = run_report("torch_module_roofline_sum", trace);
  EXPECT_EQ(cells(table, "Module"), (Texts{"layer"}));
  EXPECT_EQ(cells(table, "Level"), (Texts{"0"}));
  EXPECT_EQ(cells(table, "Roofline"), (Texts{"50.0"}));
}

TEST(TorchStepSum, ComparesTheStepWithThePeak) {
  Program p;
  p.operation(0, 90, "aten::mm", kSquare, kBfloats);
  p.kernel(30, 1000, 8682);
  const Trace trace = p.build();
  const Table table = run_report("torch_step_sum", trace);
  EXPECT_EQ(cells(table, "Duration"), (Texts{"8682"}));
  EXPECT_EQ(cells(table, "FLOP (GFLOP)"), (Texts{"2.147"}));
  EXPECT_EQ(cells(table, "MFU"), (Texts{"25.0"}));
  EXPECT_EQ(cells(table, "Known"), (Texts{"100.0"}));
}

TEST(GpuPeaks, AreOfTheWholeGpuAlone) {
  Device device;
  device.name = "NVIDIA A100-SXM4-80GB";
  device.sm_count = 108;
  ASSERT_NE(gpu_peaks(device), nullptr);
  EXPECT_EQ(gpu_peaks(device)->flop_per_second(MathPrecision::bf16), 312e12);
  device.sm_count = 14;
  EXPECT_EQ(gpu_peaks(device), nullptr);
  device.name = "NVIDIA A100-SXM4-80GB MIG 1g.10gb";
  EXPECT_EQ(gpu_peaks(device), nullptr);
  device.name = "Tesla T4";
  device.sm_count = 40;
  EXPECT_EQ(gpu_peaks(device)->flop_per_second(MathPrecision::bf16), std::nullopt);
  EXPECT_EQ(gpu_peaks(device)->flop_per_second(MathPrecision::fp64), std::nullopt);
}

}  // namespace operator_calls_test
}  // namespace sonde
