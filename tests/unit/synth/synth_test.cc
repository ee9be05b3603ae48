#include "synth/synth.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <unistd.h>

#include <gtest/gtest.h>

#include "exporters/exporter.h"
#include "synth/builder.h"
#include "synth/simulator.h"
#include "trace/columns.h"

namespace sonde::synth {
namespace synth_test {

struct Op {
  int64_t start;
  int64_t end;
  Row launch;
};

template <typename F>
void for_each_op(const Trace& t, F f) {
  for_each_gpu_table(t, [&](const auto& ops) {
    for (Row row = 0; row < row_count(ops); ++row) {
      f(ops.stream[row], Op{ops.start[row], ops.end[row], ops.launch[row]});
    }
  });
}

std::map<StreamId, std::vector<Op>> ops_by_stream(const Trace& t) {
  std::map<StreamId, std::vector<Op>> found;
  for_each_op(t, [&](StreamId stream, const Op& op) { found[stream].push_back(op); });
  for (auto& [stream, ops] : found) std::ranges::sort(ops, {}, &Op::start);
  return found;
}

bool overlap(std::vector<std::pair<int64_t, int64_t>> spans) {
  std::ranges::sort(spans);
  for (size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) return true;
  }
  return false;
}

SynthOptions options_of(const std::string& program, int gpus = 1) {
  SynthOptions options;
  options.program = program;
  options.gpus = gpus;
  options.iterations = 24;
  options.layers = 2;
  return options;
}

Synthesis made(const SynthOptions& options) {
  auto synthesis = synthesize_run(options);
  EXPECT_TRUE(synthesis) << synthesis.error().message;
  return std::move(*synthesis);
}

std::string bytes_of_export(const SynthOptions& options, const std::string& name) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + name;  // tests run side by side
  ExportOptions out;
  out.overwrite = true;
  const auto exporter = exporter_for(path);
  EXPECT_TRUE(exporter);
  EXPECT_TRUE((*exporter)->write(made(options).trace, path, out));
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

/// Kernel durations of each stream in their order, kernels of one name left out.
/// Of kernels that compute: those of collectives wait for each other.
std::map<StreamId, std::vector<int64_t>> durations(const Trace& t, std::string_view without = "-") {
  std::map<StreamId, std::vector<int64_t>> found;
  for (Row row = 0; row < row_count(t.kernels); ++row) {
    if (t.name(t.kernels.name[row]).contains(without) || t.name(t.kernels.name[row]).contains("nccl")) continue;
    found[t.kernels.stream[row]].push_back(t.kernels.end[row] - t.kernels.start[row]);
  }
  return found;
}

class EachProgram : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Synth, EachProgram, testing::Values("inference", "training", "tuned"),
                         [](const auto& info) { return info.param; });

TEST_P(EachProgram, SameSeedGivesSameBytes) {
  for (const char* name : {"same.sqlite", "same.json"}) {
    SynthOptions options = options_of(GetParam(), 2);
    const std::string first = bytes_of_export(options, name);
    EXPECT_GT(first.size(), 1000U);
    EXPECT_EQ(first, bytes_of_export(options, name));
    options.seed = 2;
    EXPECT_NE(first, bytes_of_export(options, name));
  }
}

TEST_P(EachProgram, StreamsRunTheirOperationsOneByOne) {
  const Synthesis s = made(options_of(GetParam(), 2));
  for (const auto& [stream, ops] : ops_by_stream(s.trace)) {
    if (s.trace.streams[stream].context == 0) continue;  // unified memory is not a stream
    for (size_t i = 1; i < ops.size(); ++i) EXPECT_GE(ops[i].start, ops[i - 1].end);
  }
}

TEST_P(EachProgram, CopyEnginesCopyOneByOne) {
  const Synthesis s = made(options_of(GetParam(), 2));
  std::map<std::pair<DeviceId, bool>, std::vector<std::pair<int64_t, int64_t>>> engines;
  const Copies& c = s.trace.copies;
  for (Row row = 0; row < row_count(c); ++row) {
    const auto kind = static_cast<CopyKind>(c.kind[row]);
    const bool in = kind == CopyKind::host_to_device || kind == CopyKind::unified_host_to_device;
    engines[{s.trace.streams[c.stream[row]].device, in}].emplace_back(c.start[row], c.end[row]);
  }
  EXPECT_EQ(engines.size(), 4U);
  for (const auto& [engine, spans] : engines) EXPECT_FALSE(overlap(spans));
}

TEST_P(EachProgram, WorkStartsAfterTheCallThatLaunchedIt) {
  const Synthesis s = made(options_of(GetParam(), 2));
  int64_t linked = 0;
  for_each_op(s.trace, [&](StreamId stream, const Op& op) {
    if (s.trace.streams[stream].context == 0) return;
    ASSERT_NE(op.launch, kNone);
    EXPECT_GT(op.start, s.trace.api.start[op.launch]);
    ++linked;
  });
  EXPECT_GT(linked, 500);
}

TEST_P(EachProgram, SynchronizingCallsReturnAfterTheWork) {
  const Synthesis s = made(options_of(GetParam(), 2));
  const Trace& t = s.trace;
  int64_t checked = 0;
  for (Row row = 0; row < row_count(t.syncs); ++row) {
    const auto kind = static_cast<SyncKind>(t.syncs.kind[row]);
    if (kind == SyncKind::stream_waits_event || kind == SyncKind::event) continue;
    const Row call = t.syncs.launch[row];
    ASSERT_NE(call, kNone);
    for_each_op(t, [&](StreamId stream, const Op& op) {
      const bool mine = kind == SyncKind::stream ? stream == t.syncs.stream[row]
                                                 : t.streams[stream].ordinal == t.streams[t.syncs.stream[row]].ordinal;
      if (!mine || op.launch == kNone || t.api.start[op.launch] >= t.api.start[call]) return;
      ASSERT_GE(t.api.end[call], op.end);
      ++checked;
    });
  }
  EXPECT_GT(checked, 1000);
}

TEST_P(EachProgram, RangesNestAndHoldTheirCalls) {
  const Synthesis s = made(options_of(GetParam(), 2));
  for (const ImportLog::Entry& entry : s.trace.log.entries()) {
    EXPECT_EQ(entry.count, 0) << text_of(entry.issue).what << " " << entry.detail;
  }
  ASSERT_EQ(s.trace.range_links.size(), 1U);
  int64_t held = 0;
  for (const Row range : s.trace.range_links.front().of_api) held += range == kNone ? 0 : 1;
  EXPECT_GT(held, 500);
}

TEST_P(EachProgram, EventsComeNearWhatWasAskedFor) {
  SynthOptions options = options_of(GetParam(), 2);
  options.iterations.reset();
  options.events = 100'000;
  int64_t events = 0;
  const Synthesis s = made(options);
  for_each_table(s.trace,
                 [&](const auto& table, std::string_view) { events += static_cast<int64_t>(row_count(table)); });
  EXPECT_NEAR(static_cast<double>(events), 100'000, 3'000);
}

TEST_P(EachProgram, PlantsCostTheDifferenceOfTwoRuns) {
  for (const Plant& plant : plants()) {
    SynthOptions options = options_of(GetParam());
    const int64_t base = made(options).total_ns;
    options.plants = {std::string(plant.name)};
    const Synthesis s = made(options);
    ASSERT_EQ(s.planted.size(), 1U);
    EXPECT_EQ(s.planted[0].cost_ns, s.total_ns - base) << plant.name;
    EXPECT_EQ(s.planted[0].base_total_ns, base);
    EXPECT_EQ(s.planted[0].step_cost_ns, s.planted[0].cost_ns / 24);
  }
}

/// Where other programs have the problem of themselves, a plant need not cost anything; nor do other forms of a loop.
TEST(Synth, EachPlantCostsTimeInTheTunedProgram) {
  for (const Plant& plant : plants()) {
    if (plant.description.contains("costs nothing")) continue;
    SynthOptions options = options_of("tuned", 2);
    options.plants = {std::string(plant.name)};
    EXPECT_GT(made(options).planted.at(0).cost_ns, 0) << plant.name;
  }
}

TEST_P(EachProgram, PlantsLeaveOtherKernelsAsTheyWere) {
  SynthOptions options = options_of(GetParam(), 2);
  const Trace base = std::move(made(options).trace);
  for (const char* plant : {"gap", "sync", "pageable"}) {
    options.plants = {plant};
    EXPECT_EQ(durations(made(options).trace), durations(base)) << plant;
  }
  options.plants = {"tiny_kernels"};
  const Trace sliced = std::move(made(options).trace);
  EXPECT_EQ(durations(sliced, "gelu_functor"), durations(base, "gelu_functor"));
  EXPECT_GT(row_count(sliced.kernels), row_count(base.kernels) + 24U * 2U * 4U * 31U - 1);
}

TEST(Synth, CollectivesEndTogetherBehindTheLastThatEntered) {
  const Synthesis s = made(options_of("training", 4));
  std::map<int32_t, std::vector<std::pair<int64_t, int64_t>>> of_gpu;
  const Kernels& k = s.trace.kernels;
  for (Row row = 0; row < row_count(k); ++row) {
    if (k.collective[row] != kNone)
      of_gpu[s.trace.streams[k.stream[row]].ordinal].emplace_back(k.start[row], k.end[row]);
  }
  ASSERT_EQ(of_gpu.size(), 4U);
  EXPECT_EQ(of_gpu[0].size(), 24U * 4U);
  for (size_t i = 0; i < of_gpu[0].size(); ++i) {
    int64_t last_entry = 0;
    for (const auto& [gpu, spans] : of_gpu) {
      EXPECT_EQ(spans[i].second, of_gpu[0][i].second);
      last_entry = std::max(last_entry, spans[i].first);
    }
    EXPECT_LT(last_entry, of_gpu[0][i].second);
  }
}

TEST(Synth, TorchFormHasOperatorsWithBackwardPartners) {
  SynthOptions options = options_of("training");
  options.form = Form::torch;
  const Trace t = std::move(made(options).trace);
  int64_t partners = 0;
  for (Row row = 0; row < row_count(t.ranges); ++row) {
    if (t.ranges.backward[row] == 0) continue;
    ASSERT_NE(t.ranges.forward[row], kNone);
    EXPECT_LT(t.ranges.end[t.ranges.forward[row]], t.ranges.start[row]);
    ++partners;
  }
  EXPECT_GT(partners, 100);
}

TEST(Synth, GraphsReplaceTheLaunches) {
  SynthOptions options = options_of("inference");
  options.graphs = true;
  const Trace t = std::move(made(options).trace);
  EXPECT_EQ(row_count(t.graph_launches), 24U * 2U);
  EXPECT_EQ(row_count(t.kernels), 0U);
}

TEST(Synth, CountersTellHowBusyTheGpuWas) {
  const Trace t = std::move(made(options_of("inference")).trace);
  ASSERT_GT(row_count(t.counter_values), 20U);
  for (const double value : t.counter_values.value) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 100);
  }
}

TEST(Synth, WrongOptionsAreTold) {
  SynthOptions options;
  options.program = "inferense";
  EXPECT_EQ(synthesize(options).error().message,
            "unknown program 'inferense', did you mean 'inference'?; known: inference, training, tuned");
  options.program = "training";
  options.graphs = true;
  EXPECT_EQ(synthesize(options).error().message, "only the program 'inference' can launch CUDA graphs");
  options.graphs = false;
  options.gpus = 0;
  EXPECT_EQ(synthesize(options).error().message, "the number of GPUs must be between 1 and 16, not 0");
}

Kernel kernel_of(int64_t ns) {
  Kernel k;
  k.name = "k";
  k.duration_ns = ns;
  return k;
}

TEST(Synth, RecordersSlowTheHostAndLeaveTheGpuAlone) {
  SynthOptions options = options_of("inference");
  options.form = Form::torch;
  options.recorded_by = "free";
  const Synthesis bare = made(options);
  EXPECT_EQ(bare.total_ns, bare.unrecorded_ns);
  options.recorded_by = "pytorch";
  const Synthesis recorded = made(options);
  EXPECT_EQ(recorded.unrecorded_ns, bare.total_ns);
  EXPECT_GT(recorded.total_ns, bare.total_ns);
  EXPECT_EQ(row_count(recorded.trace.ranges), row_count(bare.trace.ranges));
  ASSERT_EQ(row_count(recorded.trace.kernels), row_count(bare.trace.kernels));
  const auto gpu_ns = [](const Trace& t) {
    int64_t sum = 0;
    for (Row row = 0; row < row_count(t.kernels); ++row) sum += t.kernels.end[row] - t.kernels.start[row];
    return sum;
  };
  EXPECT_EQ(gpu_ns(recorded.trace), gpu_ns(bare.trace));
  options.recorded_by = "pytroch";
  EXPECT_FALSE(synthesize_run(options));
}

TEST(Simulator, FullQueuesBlockTheHost) {
  Program program;
  const uint16_t stream = add_stream(program, 0, 7, true);
  const uint32_t kernel = add_kernel(program, kernel_of(1'000'000));
  Builder b(program, "main", 0);
  b.to_before();
  for (int i = 0; i < 3000; ++i) b.launch(kernel, stream);
  Recorder recorder(program, Form::nvtx);
  const auto total = Simulator(program, 1, 0, &recorder).run(no_progress());
  ASSERT_TRUE(total);
  const Trace t = recorder.take(*total);
  ASSERT_EQ(row_count(t.kernels), 3000U);
  for (size_t i = GpuQueues::kDepth; i < 3000; ++i) EXPECT_GE(t.api.end[i], t.kernels.end[i - GpuQueues::kDepth]);
  EXPECT_LT(t.api.end[GpuQueues::kDepth - 1], t.kernels.end[20]);
}

TEST(Simulator, StreamsWaitForEvents) {
  Program program;
  const uint16_t first = add_stream(program, 0, 7, true);
  const uint16_t second = add_stream(program, 0, 13, false);
  const uint32_t kernel = add_kernel(program, kernel_of(500'000));
  program.events = 2;
  Builder b(program, "main", 0);
  b.to_before();
  b.launch(kernel, first);
  b.record(0, first);
  b.stream_wait(0, second);
  b.stream_wait(1, second);  // never recorded: no wait
  b.launch(kernel, second);
  Recorder recorder(program, Form::nvtx);
  const auto total = Simulator(program, 1, 0, &recorder).run(no_progress());
  ASSERT_TRUE(total);
  const Trace t = recorder.take(*total);
  ASSERT_EQ(row_count(t.kernels), 2U);
  EXPECT_GE(t.kernels.start[1], t.kernels.end[0]);
}

TEST(Simulator, ProgramsThatWaitForThemselvesFail) {
  Program program;
  program.name = "stuck";
  (void)add_stream(program, 0, 7, true);
  const uint32_t never = add_semaphore(program);
  Builder b(program, "main", 0);
  b.to_before();
  b.wait(never, "sem_wait");
  const auto total = Simulator(program, 1, 0, nullptr).run(no_progress());
  ASSERT_FALSE(total);
  EXPECT_EQ(total.error().message, "deadlock in the program stuck on thread main");
}

TEST(Noise, IsTheSameEverywhere) {
  // Written down once: another platform, compiler or version must draw the same.
  const Noise noise(42);
  EXPECT_EQ(noise.vary(1'000'000, 40, Purpose::kernel, site_of("a/b"), 7), 1'016'078);
  EXPECT_EQ(noise.vary(123'456'789'012, 90, Purpose::host, site_of("c"), -1), 105'470'324'037);
}

}  // namespace synth_test
}  // namespace sonde::synth
