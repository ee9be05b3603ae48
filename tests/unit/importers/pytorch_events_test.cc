#include <cmath>

#include "importers/pytorch_text.h"

namespace sonde {
namespace pytorch_events_test {

std::string op(std::string_view name, std::string_view ts, std::string_view dur, std::string_view args = "",
               int tid = 20) {
  return fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 10, "tid": {}, "ts": {}, "dur": {},
    "args": {{{}}}}})",
                     name, tid, ts, dur, args);
}

std::string event(std::string_view category, std::string_view name, int pid, int tid, int ts, int dur,
                  std::string_view args) {
  return fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
      category, name, pid, tid, ts, dur, args);
}

TEST(PytorchTimes, AreExactAndBeginAtTheEarliestEvent) {
  const Trace t =
      read_trace(document(op("a", "1712195495893139.584", "0.001") + "," + op("b", "1712195495893138", "2.5")));
  EXPECT_EQ(t.ranges.start, (Times{1584, 0}));
  EXPECT_EQ(t.ranges.end, (Times{1585, 2500}));
  EXPECT_EQ(t.ranks[0].utc_ns, 1712195495893138000);
}

TEST(PytorchTimes, BaseTimeMayStandBehindTheEvents) {
  const std::string json =
      R"({"traceEvents": [)" + op("a", "5.5", "1e1") + R"(], "baseTimeNanoseconds": 1735632360000000000})";
  const Trace t = read_trace(json);
  EXPECT_EQ(t.ranks[0].utc_ns, 1735632360000005500);
  EXPECT_EQ(t.ranges.end[0], 10000);
}

TEST(PytorchTimes, UtcIsUnknownWhereClocksCountFromBoot) {
  EXPECT_EQ(read_trace(document(op("a", "1428625746961.266", "1"))).ranks[0].utc_ns, std::nullopt);
}

TEST(PytorchTimes, TheOriginDoesNotDependOnWhatIsWanted) {
  const std::string json = document(event("cpu_op", "a", 10, 20, 5, 1, "") + "," +
                                    event("kernel", "k", 0, 7, 9, 1, R"("device": 0, "stream": 7)"));
  EXPECT_EQ(read_trace(json, {Field::kernels}).kernels.start, (Times{4000}));
}

TEST(PytorchEvents, OldAndNewCategoriesMeanTheSame) {
  constexpr std::string_view kGpu = R"("device": 0, "context": 1, "stream": 7, "correlation": 9)";
  for (const auto& names : {std::array{"cpu_op", "kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime"},
                            std::array{"Operator", "Kernel", "Memcpy", "Memset", "Runtime"}}) {
    const Trace t = linked_trace(document(
        event(names[0], "aten::add", 10, 20, 0, 50, "") + "," +
        event(names[4], "cudaLaunchKernel", 10, 20, 10, 5, R"("correlation": 9)") + "," +
        event(names[1], "void f<int>(int)", 0, 7, 20, 30, kGpu) + "," +
        event(names[2], "Memcpy HtoD (Pinned -> Device)", 0, 7, 60, 1, fmt::format(R"({}, "bytes": 64)", kGpu)) + "," +
        event(names[3], "Memset (Device)", 0, 7, 70, 1, fmt::format(R"({}, "bytes": 32)", kGpu))));
    ASSERT_EQ(t.kernels.start.size(), 1U) << names[1];
    EXPECT_EQ(t.kernels.launch[0], 0U);
    EXPECT_EQ(t.name(t.kernels.short_name[0]), "f");
    EXPECT_EQ(t.name(t.kernels.mangled_name[0]), "void f<int>(int)");
    EXPECT_EQ(t.copies.bytes, (Longs{64}));
    EXPECT_EQ(t.copies.kind[0], static_cast<uint8_t>(CopyKind::host_to_device));
    EXPECT_EQ(t.copies.source[0], static_cast<uint8_t>(MemoryKind::pinned));
    EXPECT_EQ(t.sets.bytes, (Longs{32}));
    EXPECT_EQ(t.sets.memory[0], static_cast<uint8_t>(MemoryKind::device));
    EXPECT_EQ(t.domains[t.ranges.domain[0]].kind, DomainKind::op);
    EXPECT_EQ(t.range_links.at(0).of_api, (Ids{0}));
    EXPECT_EQ(t.streams.size(), 1U);
    EXPECT_EQ(t.streams[0].stream, 7U);
    EXPECT_EQ(t.processes.at(t.streams[0].process).pid, 10);
  }
}

TEST(PytorchEvents, KernelsHaveTheirResources) {
  const Trace t = read_trace(document(
      event("kernel", "k", 0, 7, 0, 1,
            R"("device": 2, "context": 1, "stream": 7, "correlation": 4294967294, "grid": [3, 2, 1], "block": [128,1,1],
               "registers per thread": 40, "shared memory": 1024, "est. achieved occupancy %": 37.5,
               "graph node id": 12, "priority": -1)") +
      "," + event("kernel", "k", 2, 7, 0, 1, R"("device": 2, "stream": 8, "graph node id": 0)")));
  EXPECT_EQ(t.kernels.grid[0], (Dim3{3, 2, 1}));
  EXPECT_EQ(t.kernels.block[0], (Dim3{128, 1, 1}));
  EXPECT_EQ(t.kernels.registers, (Ints{40, kUnknown32}));
  EXPECT_EQ(t.kernels.shared_bytes, (Ints{1024, kUnknown32}));
  EXPECT_EQ(t.kernels.correlation, (Ids{4294967294, 0}));
  EXPECT_FLOAT_EQ(t.kernels.occupancy_percent[0], 37.5F);
  EXPECT_TRUE(std::isnan(t.kernels.occupancy_percent[1]));
  EXPECT_EQ(t.kernels.graph_node, (Longs{12, kUnknown}));
  EXPECT_EQ(t.streams[0].priority, -1);
  EXPECT_EQ(t.devices.size(), 1U);
  EXPECT_EQ(issues(t, Issue::unknown_device), 2);
}

TEST(PytorchEvents, CopiesOfRocmAreKnown) {
  const Trace t = read_trace(document(event("gpu_memcpy", "CopyDeviceToHost", 0, 7, 0, 1, "") + "," +
                                      event("gpu_memcpy", "Memcpy HtoD (Host -> Device)", 0, 7, 0, 1, "")));
  EXPECT_EQ(t.copies.kind,
            (Codes{static_cast<uint8_t>(CopyKind::device_to_host), static_cast<uint8_t>(CopyKind::host_to_device)}));
  EXPECT_EQ(t.copies.source,
            (Codes{static_cast<uint8_t>(MemoryKind::absent), static_cast<uint8_t>(MemoryKind::unknown)}));
  EXPECT_EQ(t.copies.bytes, (Longs{kUnknown, kUnknown}));
}

TEST(PytorchEvents, SynchronizationHasItsKinds) {
  const Trace t = read_trace(document(
      event("cuda_sync", "Stream Wait Event", 0, 7, 0, 1, R"("device": 0, "stream": 7, "wait_on_cuda_event_id": 5)") +
      "," + event("cuda_sync", "Event Sync", 0, 7, 0, 1, R"("device": 0, "stream": 7)") + "," +
      event("cuda_sync", "Stream Sync", 0, 7, 0, 1, R"("device": 0, "stream": 7)") + "," +
      event("cuda_sync", "Context Sync", 0, -1, 0, 1, R"("device": 0, "stream": -1)")));
  EXPECT_EQ(t.syncs.kind,
            (Codes{static_cast<uint8_t>(SyncKind::stream_waits_event), static_cast<uint8_t>(SyncKind::event),
                   static_cast<uint8_t>(SyncKind::stream), static_cast<uint8_t>(SyncKind::device)}));
  EXPECT_EQ(t.syncs.event[0], 5U);
  EXPECT_EQ(t.streams[t.syncs.stream[3]].stream, kNone);
}

TEST(PytorchEvents, RangesHaveTheirDomains) {
  const Trace t = read_trace(document(event("user_annotation", "step", 10, 20, 0, 9, "") + "," +
                                      event("python_function", "nn.Module: Linear_3", 10, 20, 1, 1, "") + "," +
                                      event("python_function", "train.py(7): main", 10, 20, 2, 1, "") + "," +
                                      event("gpu_user_annotation", "step", 0, 7, 3, 9, "")));
  ASSERT_EQ(t.ranges.start.size(), 3U);
  const auto domain = [&](size_t row) { return t.name(t.domains[t.ranges.domain[row]].name); };
  EXPECT_EQ(domain(0), "");
  EXPECT_EQ(domain(1), "torch.module");
  EXPECT_EQ(domain(2), "torch.python");
  EXPECT_EQ(issues(t, Issue::unknown_category), 0);
}

TEST(PytorchEvents, BackwardOperatorsFindTheirForwardOnes) {
  const Trace t =
      linked_trace(document(op("aten::mul", "0", "5", R"("Sequence number": 8, "Fwd thread id": 0, "Input Dims": [[2,3],
         []])") + "," + op("MulBackward0", "10", "5", R"("Sequence number": 8, "Fwd thread id": 1)", 21) +
                            "," + op("autograd::engine::evaluate_function: X", "20", "5", "", 21)));
  EXPECT_EQ(t.ranges.backward, (Codes{0, 1, 1}));
  EXPECT_EQ(t.ranges.forward[1], 0U);
  EXPECT_EQ(t.ranges.sequence, (Longs{8, 8, kUnknown}));
  EXPECT_EQ(t.name(t.ranges.shapes[0]), "[[2, 3], []]");
}

TEST(PytorchEvents, ArrowsStandInForMissingSequenceNumbers) {
  const auto arrow = [](std::string_view phase, int tid, int ts) {
    return fmt::format(R"({{"ph": "{}", "id": 3, "pid": 10, "tid": {}, "ts": {}, "cat": "fwdbwd", "name": "fwdbwd"}})",
                       phase, tid, ts);
  };
  const Trace t = linked_trace(document(op("outer", "0", "9") + "," + op("aten::mul", "0", "5") + "," +
                                        op("MulBackward0", "10", "5", "", 21) + "," + arrow("f", 21, 10) + "," +
                                        arrow("s", 20, 0)));
  EXPECT_EQ(t.ranges.backward, (Codes{0, 0, 1}));
  EXPECT_EQ(t.ranges.sequence, (Longs{kUnknown, -1, -1}));
  EXPECT_EQ(t.ranges.forward[2], 1U);
}

TEST(PytorchEvents, CollectivesAreKeptOnce) {
  constexpr std::string_view kArgs =
      R"("Collective name": "allreduce", "dtype": "Float", "In msg nelems": 4, "Out msg nelems": 4, "Group size": 2,
         "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "device": 0, "stream": 7)";
  const Trace t = read_trace(
      document(op("record_param_comms", "0", "5", kArgs) + "," + event("kernel", "nccl", 0, 7, 1, 1, kArgs) + "," +
               event("kernel", "nccl", 0, 7, 2, 1, kArgs) + "," + event("kernel", "other", 0, 7, 3, 1, "")));
  ASSERT_EQ(t.collectives.size(), 1U);
  EXPECT_EQ(t.name(t.collectives[0].name), "allreduce");
  EXPECT_EQ(t.name(t.collectives[0].group_ranks), "[0, 1]");
  EXPECT_EQ(t.collectives[0].group_size, 2);
  EXPECT_EQ(t.kernels.collective, (Ids{0, 0, kNone}));
}

TEST(PytorchEvents, MemoryEventsAreAllocations) {
  const auto memory = [](int64_t bytes, int type, int device) {
    return fmt::format(R"({{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 10, "tid": 20,
      "ts": 1, "args": {{"Total Allocated": 700, "Total Reserved": 900, "Bytes": {}, "Addr": 18446744073709551615,
      "Device Id": {}, "Device Type": {}}}}})",
                       bytes, device, type);
  };
  const Trace t = read_trace(document(memory(512, 1, 3) + "," + memory(-512, 1, 3) + "," + memory(64, 0, -1)));
  EXPECT_EQ(t.allocations.bytes, (Longs{512, 512, 64}));
  EXPECT_EQ(t.allocations.kind, (Codes{0, 1, 0}));
  EXPECT_EQ(t.allocations.device, (Ints{3, 3, -1}));
  EXPECT_EQ(t.allocations.address[0], -1) << "all 64 bits of an address are kept";
  EXPECT_EQ(t.allocations.total_bytes[0], 700);
  EXPECT_EQ(t.allocations.reserved_bytes[0], 900);
  EXPECT_EQ(t.processes[t.allocations.process[0]].pid, 10);
}

TEST(PytorchEvents, CountersHaveOneSeriesForEachKey) {
  const Trace t = read_trace(document(
      R"({"name": "mem", "ph": "C", "pid": 1, "ts": 1, "args": {"value": 1.5}},
         {"name": "mem", "args": {"value": 2, "free": -3}, "pid": 1, "ts": 2, "ph": "C"})"));
  EXPECT_EQ(t.counter_values.value, (std::vector<double>{1.5, 2, -3}));
  EXPECT_EQ(t.counter_values.counter, (Ids{0, 0, 1}));
  EXPECT_EQ(t.name(t.counters[1].name), "mem free");
}

TEST(PytorchEvents, ProcessesAndThreadsHaveNamesWhateverTheirIds) {
  const Trace t = read_trace(document(
      R"json({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 10, "tid": "1890023232", "ts": 1, "dur": 1},
         {"ph": "X", "cat": "cpu_op", "name": "b", "pid": "10", "tid": 1890023232, "ts": 1, "dur": 1},
         {"ph": "X", "cat": "cpu_op", "name": "c", "pid": 10, "tid": "thread 1234 (python)", "ts": 1, "dur": 1},
         {"name": "process_name", "ph": "M", "ts": 0, "pid": 10, "tid": 0, "args": {"name": "python"}},
         {"name": "thread_name", "ph": "M", "ts": 0, "pid": 10, "tid": "1890023232", "args": {"name": "main\u0021"}},
         {"name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"name": "stream 7"}})json"));
  ASSERT_EQ(t.processes.size(), 1U);
  ASSERT_EQ(t.threads.size(), 2U);
  EXPECT_EQ(t.name(t.processes[0].name), "python");
  EXPECT_EQ(t.name(t.threads[0].name), "main!");
  EXPECT_EQ(t.threads[1].tid, 1234);
  EXPECT_EQ(t.name(t.threads[1].name), "thread 1234 (python)");
}

TEST(PytorchEvents, GpuWorkBelongsToTheProcessThatLaunchedIt) {
  const auto call = [](int pid, int correlation) {
    return event("cuda_runtime", "cudaLaunchKernel", pid, pid, correlation, 1,
                 fmt::format(R"("correlation": {})", correlation));
  };
  const auto kernel = [](int device, int correlation) {
    return event("kernel", "k", device, 7, 100 + correlation, 1,
                 fmt::format(R"("device": {}, "context": 1, "stream": 7, "correlation": {})", device, correlation));
  };
  // Both processes used correlation id 5: there the stream's other work decides.
  const Trace t = linked_trace(document(call(10, 1) + "," + call(11, 2) + "," + call(10, 5) + "," + call(11, 5) + "," +
                                        kernel(0, 1) + "," + kernel(1, 2) + "," + kernel(1, 5)));
  std::vector<int64_t> pids;
  for (const StreamId s : t.kernels.stream) pids.push_back(t.processes[t.streams[s].process].pid);
  EXPECT_EQ(pids, (std::vector<int64_t>{10, 11, 11}));
  EXPECT_EQ(issues(t, Issue::unlinked_gpu_work), 0);
  const ThreadId launcher = t.api.thread[t.kernels.launch[2]];
  EXPECT_EQ(t.processes[t.threads[launcher].process].pid, 11);
}

TEST(PytorchEvents, OverheadAndUnknownCategoriesAreToldApart) {
  const Trace t = read_trace(document(event("overhead", "Buffer Flush", -1, 0, 0, 7, "") + "," +
                                      event("privateuse1_runtime", "x", 10, 20, 0, 1, "") + "," +
                                      event("privateuse1_runtime", "y", 10, 20, 0, 1, "")));
  EXPECT_EQ(t.overheads.end, (Times{7000}));
  EXPECT_EQ(t.overheads.thread, (Ids{kNone}));
  EXPECT_EQ(issues(t, Issue::unknown_category), 2);
  EXPECT_EQ(t.log.entries()[0].detail, "privateuse1_runtime");
}

TEST(PytorchEvents, TracesFromBeforeKinetoAreRead) {
  const Trace t = read_trace(
      R"([{"name": "aten::add", "ph": "X", "ts": 1.5, "dur": 3, "tid": 1, "pid": "CPU functions", "args": {}},
          {"name": "k", "ph": "X", "ts": 2, "dur": 1, "tid": 0, "pid": "CUDA functions", "args": {}}])");
  EXPECT_EQ(t.ranges.end, (Times{3000}));
  EXPECT_EQ(t.kernels.start, (Times{500}));
  EXPECT_EQ(t.streams[0].ordinal, 0);
}

TEST(PytorchEvents, ReadsNoMoreThanIsWanted) {
  const std::string json = document(event("cpu_op", "a", 10, 20, 5, 1, "") + "," +
                                    event("cuda_runtime", "c", 10, 20, 5, 1, R"("correlation": 4)") + "," +
                                    event("kernel", "k", 0, 7, 9, 1, R"("device": 0, "stream": 7, "grid": [1,1,1])"));
  const Trace t = read_trace(json, {Field::kernels, Field::streams});
  EXPECT_EQ(t.kernels.start.size(), 1U);
  EXPECT_TRUE(t.kernels.grid.empty());
  EXPECT_TRUE(t.kernels.correlation.empty());
  EXPECT_TRUE(t.ranges.start.empty());
  EXPECT_TRUE(t.api.start.empty());
  EXPECT_EQ(t.processes.at(t.streams.at(0).process).pid, 10);
}

}  // namespace pytorch_events_test
}  // namespace sonde
