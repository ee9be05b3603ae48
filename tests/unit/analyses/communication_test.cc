#include "analyses/gpus/communication.h"

#include <gtest/gtest.h>

#include "analyses/gpus/collectives.h"
#include "analyses/replay/replay.h"
#include "shared/trace_builder.h"
#include "trace/columns.h"

namespace sonde {
namespace communication_test {

constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

/// Two GPUs with a stream that computes and one that communicates.
struct TwoGpus {
  TraceBuilder b;
  ThreadId thread[2] = {b.thread(10, 10), b.thread(11, 11)};
  StreamId compute[2] = {b.stream(10, 0), b.stream(11, 1)};
  StreamId communication[2] = {b.stream(10, 0), b.stream(11, 1)};

  /// Launched at `start - 10`.
  void kernel(int gpu, StreamId stream, int64_t start, int64_t end, std::string_view name) {
    b.kernel(stream, start, end, name, b.call(thread[gpu], start - 20, start - 10));
  }
  void computes(int gpu, int64_t start, int64_t end) { kernel(gpu, compute[gpu], start, end, "gemm"); }
  void reduces(int gpu, int64_t start, int64_t end) { kernel(gpu, communication[gpu], start, end, kAllReduce); }
};

CommunicationKind kind_of(std::string_view kernel) {
  TraceBuilder b;
  b.kernel(b.stream(10), 0, 1, kernel, b.unlinked());
  return communication_kinds(b.build()).front();
}

Collectives matched(const Trace& trace) { return match_collectives(trace, gpus_of(trace), communication_kinds(trace)); }

TEST(CommunicationKind, ByTheKernelsName) {
  EXPECT_EQ(kind_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), CommunicationKind::all_reduce);
  EXPECT_EQ(kind_of("ncclKernel_ReduceScatter_RING_LL_Sum_float"), CommunicationKind::reduce_scatter);
  EXPECT_EQ(kind_of("ncclDevKernel_Reduce_Sum_f32"), CommunicationKind::reduce);
  EXPECT_EQ(kind_of("ncclDevKernel_Generic_1"), CommunicationKind::other);
  EXPECT_EQ(kind_of("multimem_all_reduce_kernel"), CommunicationKind::all_reduce);
  EXPECT_EQ(kind_of("reduce_kernel"), CommunicationKind::none);
}

TEST(CommunicationKind, LibrariesHaveNamesOfTheirOwn) {
  EXPECT_EQ(communication_kind("void dpsk::ep::internode::dispatch_ll<true, 3, 10, 7168>(void*, float*, int*)"),
            CommunicationKind::all_to_all);
  EXPECT_EQ(communication_kind("void deep_ep::intranode::combine<__nv_bfloat16, (int)8, (int)768, (int)4096>(T1 *)"),
            CommunicationKind::all_to_all);
  EXPECT_EQ(communication_kind("_ZN4dpsk2ep9internode8dispatchILb0ELi8EEEvP4int4"), CommunicationKind::all_to_all);
  EXPECT_EQ(communication_kind("void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*)"),
            CommunicationKind::none);
  EXPECT_EQ(communication_kind("void cdpsk::ep::CUB_200500_900_NS::DeviceScanKernel<int>(int*)"),
            CommunicationKind::none);
  EXPECT_EQ(communication_kind("ncclSymDevKernel_AllGather_LL(ncclSymDevArgs)"), CommunicationKind::all_gather);
  EXPECT_EQ(communication_kind("mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)"),
            CommunicationKind::other);
  EXPECT_EQ(communication_kind("void nvshmemi_proxy_rma_entrypoint<int>(void*)"), CommunicationKind::other);
  EXPECT_EQ(communication_kind("void barrier_on_stream_kernel_threadgroup<(threadgroup_t)2>(int, int)"),
            CommunicationKind::other);
  EXPECT_EQ(communication_kind("oneccl_allreduce_pcie<sycl::half, RingTransmit>"), CommunicationKind::all_reduce);
  EXPECT_EQ(communication_kind("executor_kernel(ucc_ec_cuda_executor_t volatile*, int)"), CommunicationKind::other);
}

/// NCCL up to 2.18 runs any collective by the kernel of the first one.
TEST(CommunicationKind, ARangeNamesTheCollective) {
  TwoGpus run;
  constexpr std::string_view kSendRecv = "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t";
  run.b.push_pop(run.thread[0], 900, 1000, "nccl:all_to_all");
  run.kernel(0, run.communication[0], 1000, 1100, kSendRecv);
  run.b.push_pop(run.thread[0], 1900, 2000, "nccl:_reduce_scatter_base");
  run.kernel(0, run.communication[0], 2000, 2100, kSendRecv);
  run.kernel(0, run.communication[0], 3000, 3100, kSendRecv);
  EXPECT_EQ(
      communication_kinds(run.b.build()),
      (std::vector{CommunicationKind::all_to_all, CommunicationKind::reduce_scatter, CommunicationKind::send_receive}));
}

TEST(CommunicationKind, CopiesBetweenGpusCommunicate) {
  TraceBuilder b;
  b.peer_copy(b.stream(10, 0), 0, 100, 0, 1, 4096, b.unlinked());
  b.copy(b.stream(10, 0), 200, 300, b.unlinked());
  const Trace trace = b.build();
  EXPECT_TRUE(is_peer_copy(trace.copies, 0));
  EXPECT_EQ(trace.copies.source_device, (Ids{0, kNone}));
  EXPECT_EQ(trace.copies.destination_device, (Ids{1, kNone}));
}

TEST(TimeBreakdown, PartsAddUp) {
  TraceBuilder b;
  const ThreadId thread = b.thread(10, 10);
  const StreamId compute = b.stream(10);
  const StreamId other = b.stream(10);
  const auto launch = [&] { return b.call(thread, 0, 1); };
  b.kernel(compute, 100, 200, "gemm", launch());
  b.kernel(compute, 150, 220, "gemm", launch());    // beside the first
  b.kernel(other, 180, 300, kAllReduce, launch());  // 40 beside computing, 80 exposed
  b.copy(other, 290, 350, launch());                // 10 beside communication, 50 exposed
  b.kernel(compute, 400, 450, "gemm", launch());
  const Trace trace = b.build();
  const TimeBreakdown t = break_down(gpu_activity(trace, gpus_of(trace), communication_kinds(trace)).front());
  EXPECT_EQ(t.total_ns, 350);
  EXPECT_EQ(t.compute_ns, 170);
  EXPECT_EQ(t.communication_ns, 120);
  EXPECT_EQ(t.overlap_ns, 40);
  EXPECT_EQ(t.exposed_communication_ns, 80);
  EXPECT_EQ(t.exposed_copies_ns, 50);
  EXPECT_EQ(t.busy_ns, 300);
  EXPECT_EQ(t.idle_ns, 50);
  EXPECT_EQ(t.total_ns, t.compute_ns + t.exposed_communication_ns + t.exposed_copies_ns + t.idle_ns);
}

TEST(Collectives, WaitIsToTheLastEntryAndTransferBehindIt) {
  TwoGpus run;
  run.reduces(0, 1000, 1500);
  run.reduces(1, 1300, 1510);
  const Trace trace = run.b.build();
  const Collectives found = matched(trace);
  ASSERT_EQ(found.all.size(), 1U);
  const MatchedCollective& c = found.all.front();
  EXPECT_EQ(c.kind, CommunicationKind::all_reduce);
  EXPECT_EQ(c.last().gpu, 1U);
  EXPECT_EQ(c.first_entry_ns(), 1000);
  EXPECT_EQ(c.transfer_ns(), 210);
  EXPECT_TRUE(c.complete());
  EXPECT_EQ(found.unmatched, 0);
}

TEST(Collectives, KernelsThatNeverRanTogetherAreNone) {
  TwoGpus run;
  run.reduces(0, 1000, 1100);  // GPU 1's is not in the profile
  run.reduces(0, 2000, 2200);
  run.reduces(1, 2050, 2200);
  run.reduces(1, 3000, 3200);
  const Collectives found = matched(run.b.build());
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all.front().first_entry_ns(), 2000);
  EXPECT_EQ(found.unmatched, 2);
}

TEST(Collectives, WithoutACommonClockTheShortestKernelBoundsTheTransfer) {
  TwoGpus run;
  run.reduces(0, 1000, 1500);
  run.reduces(1, 91'300, 91'510);
  Trace trace = run.b.build();
  trace.log.add(Issue::clocks_not_aligned, "rank 1");
  const Collectives found = matched(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_FALSE(found.all.front().one_clock);
  EXPECT_EQ(found.all.front().transfer_ns(), 210);
}

TEST(Collectives, WhereRanksAreMissingNobodyKnowsWhoCameLast) {
  TwoGpus run;
  run.reduces(0, 1000, 1500);
  run.reduces(1, 1300, 1510);
  Trace trace = run.b.build();
  trace.ranks.front().world_size = 8;
  EXPECT_FALSE(matched(trace).all.front().complete());
}

/// Four ranks, each a process with one GPU.
struct FourGpus {
  TraceBuilder b;
  std::vector<ThreadId> thread;
  std::vector<StreamId> stream;
  FourGpus() {
    for (int gpu = 0; gpu < 4; ++gpu) {
      thread.push_back(b.thread(10 + gpu, 10 + gpu));
      stream.push_back(b.stream(10 + gpu, gpu));
    }
  }
  /// In a range of this name, unless it is empty.
  void sends(size_t gpu, int64_t start, int64_t end, std::string_view range = {}) {
    if (!range.empty()) b.push_pop(thread[gpu], start - 30, start - 5, range);
    b.kernel(stream[gpu], start, end, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
             b.call(thread[gpu], start - 20, start - 10));
  }
};

TEST(Collectives, AllToAllByItsRangeMeetsOnAllGpus) {
  FourGpus run;
  for (size_t gpu = 0; gpu < 4; ++gpu) {
    for (const int64_t t : {100'000, 300'000}) {
      run.sends(gpu, t + static_cast<int64_t>(gpu) * 10'000, t + 150'000, "nccl:all_to_all");
    }
  }
  const Collectives found = matched(run.b.build());
  ASSERT_EQ(found.all.size(), 2U);
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_EQ(found.all.front().kind, CommunicationKind::all_to_all);
  EXPECT_EQ(found.all.front().participants.size(), 4U);
  EXPECT_EQ(found.all.front().last().gpu, 3U);
  EXPECT_TRUE(found.all.front().complete());
}

TEST(Collectives, WithoutNamesThoseMeetThatEndTogether) {
  FourGpus run;
  run.sends(0, 100'000, 400'000);  // 0 to 1, late
  run.sends(1, 300'000, 402'000);
  run.sends(2, 100'000, 900'000);  // 2 to 3
  run.sends(3, 850'000, 903'000);
  const Collectives found = matched(run.b.build());
  ASSERT_EQ(found.all.size(), 2U);
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_EQ(found.all.front().last().gpu, 1U);
  EXPECT_EQ(found.all.back().last().gpu, 3U);
}

TEST(Collectives, ASendMeetsTheReceiveThatItsRangeNames) {
  FourGpus run;
  run.sends(0, 100'000, 400'000, "nccl:send 0->2");
  run.sends(1, 100'000, 401'000, "nccl:send 1->3");
  run.sends(2, 300'000, 402'000, "nccl:recv 2<-0");
  run.sends(3, 300'000, 403'000, "nccl:recv 3<-1");
  const Collectives found = matched(run.b.build());
  ASSERT_EQ(found.all.size(), 2U);
  for (const MatchedCollective& c : found.all) {
    ASSERT_EQ(c.participants.size(), 2U);
    EXPECT_EQ(c.participants[1].gpu, c.participants[0].gpu + 2);
    EXPECT_TRUE(c.complete());
  }
}

TEST(Collectives, RanksOfAnAllToAllHaveSizesOfTheirOwn) {
  FourGpus run;
  for (size_t gpu = 0; gpu < 4; ++gpu) run.sends(gpu, 100'000, 200'000);
  Trace trace = run.b.build();
  const NameId name = trace.names.intern("all_to_allv");
  const NameId group = trace.names.intern("0");
  const NameId type = trace.names.intern("Float");
  for (int64_t rank = 0; rank < 4; ++rank) {
    trace.kernels.collective.push_back(static_cast<uint32_t>(trace.collectives.size()));
    trace.collectives.push_back({name, type, group, kNone, 4, 1000 + rank, 2000 - rank});
  }
  const Collectives found = matched(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_TRUE(found.all.front().complete());
  EXPECT_EQ(found.all.front().bytes, 8000);
}

TEST(Collectives, BusBandwidthIsThatOfNcclsTests) {
  EXPECT_DOUBLE_EQ(bus_factor(CommunicationKind::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(CommunicationKind::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(CommunicationKind::broadcast, 8), 1);
}

/// GPU 0 computes until 11000, GPU 1 until 21000; both reduce, and then wait for the end.
Trace late_by_ten_microseconds() {
  TwoGpus run;
  const int64_t entry[2] = {11'000, 21'000};
  for (int gpu = 0; gpu < 2; ++gpu) {
    run.computes(gpu, 1000, entry[gpu] - 100);
    run.b.kernel(run.compute[gpu], entry[gpu], 26'000, kAllReduce, run.b.call(run.thread[gpu], 990, 995));
    run.b.call(run.thread[gpu], 1100 + 100 * gpu, 28'000, "cudaDeviceSynchronize_v3020");
    run.b.call(run.thread[gpu], 29'000, 29'001 + gpu, "cudaStreamSynchronize_v3020");
  }
  return run.b.build();
}

/// What kernels of `gpu` that compute save when they take no time.
int64_t saved(const Trace& trace, std::initializer_list<int32_t> gpus) {
  Change change;
  for (Row row = 0; row < row_count(trace.kernels); ++row) {
    const bool changed = std::ranges::find(gpus, trace.streams[trace.kernels.stream[row]].ordinal) != gpus.end();
    if (trace.kernels.end[row] != 26'000 && changed) change.kernels.push_back({row, 0});
  }
  const Gpus all = gpus_of(trace);
  const Collectives collectives = match_collectives(trace, all, communication_kinds(trace));
  const Replays replays(trace, all, collectives, api_kinds(trace), {0, 30'000});
  return replays.end_ns({}) - replays.end_ns(change);
}

TEST(Replay, ACollectiveWaitsForItsLastParticipant) {
  const Trace trace = late_by_ten_microseconds();
  EXPECT_EQ(saved(trace, {}), 0);
  EXPECT_EQ(saved(trace, {0}), 0);       // GPU 1 comes as late as before
  EXPECT_EQ(saved(trace, {1}), 10'000);  // then GPU 0 comes last
  EXPECT_EQ(saved(trace, {0, 1}), 19'900);
}

}  // namespace communication_test
}  // namespace sonde
