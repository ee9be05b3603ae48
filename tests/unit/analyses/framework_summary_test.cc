#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace framework_summary_test {

using Texts = std::vector<std::string>;

/// A module calls linear > addmm; addmm launches a kernel, linear itself a copy, the module nothing itself.
Trace operators_in_a_module() {
  TraceBuilder b;
  const ThreadId t = b.thread(10, 11);
  const StreamId s = b.stream(10);
  const DomainId op = b.domain("torch.operator", DomainKind::op);
  const DomainId module = b.domain("torch.module", DomainKind::module);
  b.push_pop(t, 0, 100, "nn.Module: Linear_0", module);
  b.push_pop(t, 10, 90, "aten::linear", op);
  b.push_pop(t, 20, 70, "aten::addmm", op);
  b.push_pop(t, 5, 95, "an annotation");
  b.kernel(s, 1000, 1300, "gemm", b.call(t, 30, 31));
  b.copy(s, 1300, 1400, b.call(t, 80, 81));
  return b.build();
}

TEST(TorchOpSum, TellsOwnTimeFromThatOfOperatorsInside) {
  const Trace trace = operators_in_a_module();
  const Table table = run_report("torch_op_sum", trace);
  EXPECT_EQ(cells(table, "Name"), (Texts{"aten::addmm", "aten::linear"}));
  EXPECT_EQ(cells(table, "Device Self"), (Texts{"75.0", "25.0"}));
  EXPECT_EQ(cells(table, "Device Self Time"), (Texts{"300", "100"}));
  EXPECT_EQ(cells(table, "Device Total Time"), (Texts{"300", "400"}));
  EXPECT_EQ(cells(table, "Host Self Time"), (Texts{"50", "30"}));
  EXPECT_EQ(cells(table, "Host Total Time"), (Texts{"50", "80"}));
  EXPECT_EQ(cells(table, "Calls"), (Texts{"1", "1"}));
}

TEST(TorchModuleSum, GivesAModuleTheWorkOfItsOperators) {
  const Trace trace = operators_in_a_module();
  const Table table = run_report("torch_module_sum", trace);
  EXPECT_EQ(cells(table, "Name"), (Texts{"nn.Module: Linear_0"}));
  EXPECT_EQ(cells(table, "Device Self Time"), (Texts{"400"}));
  EXPECT_EQ(cells(table, "Host Self Time"), (Texts{"100"}));
}

TEST(TorchOpSum, SaysNothingOfADeviceThatWasNotRecorded) {
  TraceBuilder b;
  b.push_pop(b.thread(10, 11), 0, 10, "aten::add", b.domain("torch.operator", DomainKind::op));
  const Trace trace = b.build();
  const Table table = run_report("torch_op_sum", trace);
  EXPECT_EQ(cells(table, "Device Self Time"), (Texts{"-"}));
  EXPECT_EQ(cells(table, "Device Self"), (Texts{"-"}));
  EXPECT_EQ(cells(table, "Host Total Time"), (Texts{"10"}));
}

}  // namespace framework_summary_test
}  // namespace sonde
