#include <fmt/format.h>
#include <gtest/gtest.h>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

/// Pointwise operators over 64 MB of float32 on an H100, one after the other; each step ends with a product of
/// matrices.
namespace sonde {
namespace pointwise_chain_test {

constexpr std::string_view kElementwise = "void at::native::vectorized_elementwise_kernel<4, at::native::{}>";

struct Operation {
  std::string_view name;
  std::string_view shapes = "[[16777216]]";
  std::string_view types = R"(["float"])";
  int64_t kernel_ns = 46'000;
};

constexpr Operation kTanh{.name = "aten::tanh"};
constexpr Operation kMul{
    .name = "aten::mul", .shapes = "[[16777216],[16777216]]", .types = R"(["float","float"])", .kernel_ns = 68'000};
constexpr int64_t kOtherNs = 100'000;

struct Program {
  std::vector<Operation> step;
  bool has_shapes = true;
  bool has_other = true;  ///< a kernel of another class between the steps
  std::string gpu = "NVIDIA H100 80GB HBM3";
};

/// Ten steps.
Diagnosis ask_of(const Program& program) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  const DomainId operators = b.domain("torch.operator", DomainKind::op);
  Device& device = b.device();
  device.name = program.gpu;
  device.compute_major = 9;
  device.compute_minor = 0;
  int64_t host = 0;
  int64_t gpu = 10'000;
  const auto run = [&](const Operation& operation, std::string_view kernel) {
    b.push_pop(thread, host, host + 1'500, operation.name, operators);
    if (program.has_shapes) b.inputs(fmt::format("{}\n{}\n[]", operation.shapes, operation.types));
    const uint32_t launch = b.call(thread, host + 100, host + 1'000);
    b.kernel(stream, gpu, gpu + operation.kernel_ns, kernel, launch, {16384, 1, 1});
    host += 2'000;
    gpu += operation.kernel_ns;
  };
  for (int step = 0; step < 10; ++step) {
    const int64_t start = host;
    for (const Operation& o : program.step) run(o, fmt::format(fmt::runtime(kElementwise), o.name));
    if (program.has_other) {
      run({.name = "aten::mm", .shapes = "[[8,8],[8,8]]", .types = R"(["float","float"])", .kernel_ns = kOtherNs},
          "nvjet_tst");
    }
    b.push_pop(thread, start, host - 1, fmt::format("ProfilerStep#{}", step));
  }
  b.call(thread, host, gpu + 1'000, "cudaDeviceSynchronize_v3020");
  return ask_rule("pointwise_chain", b.build());
}

double number_of(const Finding& finding, std::string_view name) {
  const auto found = std::ranges::find(finding.arguments, name, &Argument::name);
  return found == finding.arguments.end() ? -1 : found->number;
}

/// The judged time that stays, as a part of a step.
double left_ns(const Diagnosis& diagnosis, int64_t step_ns) {
  const Finding& finding = diagnosis.findings.at(0);
  const double steps = number_of(finding, "chains");
  return static_cast<double>(step_ns) - static_cast<double>(finding.ceiling_ns) / steps;
}

TEST(PointwiseChain, SavesAllButOneReadAndOneWrite) {
  // 2 * 64 MiB at 3.35 TB/s are 40,063 ns; two mul keep the special function units idle.
  const Diagnosis diagnosis = ask_of({.step = {kMul, kMul, kMul, kMul}});
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  const Finding& finding = diagnosis.findings.front();
  EXPECT_EQ(finding.id, "pointwise_chain");
  EXPECT_EQ(number_of(finding, "longest"), 4);
  EXPECT_NEAR(left_ns(diagnosis, 4 * kMul.kernel_ns + kOtherNs), 40'063 + kOtherNs, 100);
  // Each mul moves three tensors. The first input and the last result still pass through memory.
  EXPECT_DOUBLE_EQ(number_of(finding, "bytes"), number_of(finding, "chains") * (4 * 3 - 2) * 67'108'864);
}

TEST(PointwiseChain, TakesNoLessThanSpecialFunctionUnitsNeed) {
  // 6 tanh are 12 results for each of 16,777,216 elements. An SM has 16 a clock, and 256 operations of float32.
  const Diagnosis diagnosis = ask_of({.step = {kTanh, kTanh, kTanh, kTanh, kTanh, kTanh}});
  EXPECT_NEAR(left_ns(diagnosis, 6 * kTanh.kernel_ns + kOtherNs), 12 * 16'777'216 / (67e12 / 16) * 1e9 + kOtherNs, 100);
}

TEST(PointwiseChain, EndsWithTheStep) {
  const Diagnosis diagnosis = ask_of({.step = {kMul, kTanh, kMul}, .has_other = false});
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(number_of(diagnosis.findings.front(), "longest"), 3);
}

TEST(PointwiseChain, NeedsThreeKernelsBoundByMemory) {
  EXPECT_TRUE(ask_of({.step = {kMul, kTanh}}).findings.empty());
  Operation slow = kTanh;
  slow.kernel_ns = 130'000;  // 31 % of the memory's peak
  EXPECT_TRUE(ask_of({.step = {kMul, slow, kTanh}}).findings.empty());
  Operation tiny = kTanh;
  tiny.shapes = "[[1024]]";
  tiny.kernel_ns = 2'000;
  EXPECT_TRUE(ask_of({.step = {tiny, tiny, tiny}}).findings.empty());
}

TEST(PointwiseChain, NeedsOneSizeOfTensors) {
  Operation other = kTanh;
  other.shapes = "[[16777217]]";
  EXPECT_TRUE(ask_of({.step = {kMul, other, kMul}}).findings.empty());
  Operation half = kTanh;
  half.types = R"(["c10::Half"])";
  half.kernel_ns = 23'000;
  EXPECT_TRUE(ask_of({.step = {kMul, half, kMul}}).findings.empty());
}

TEST(PointwiseChain, LeavesOutLoopsOverTensors) {
  Operation update = kMul;
  update.name = "aten::add_";
  EXPECT_TRUE(ask_of({.step = {update, update, update, update}}).findings.empty());
}

TEST(PointwiseChain, ComparesGridsWithoutShapes) {
  Operation add = kMul;
  add.name = "aten::add";
  const Diagnosis diagnosis = ask_of({.step = {kMul, add, kTanh}, .has_shapes = false});
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings.front().id, "pointwise_chain_same_grid");
  // A third of the shortest kernel.
  EXPECT_NEAR(left_ns(diagnosis, 2 * kMul.kernel_ns + kTanh.kernel_ns + kOtherNs), 0.33 * kTanh.kernel_ns + kOtherNs,
              100);
}

}  // namespace pointwise_chain_test
}  // namespace sonde
