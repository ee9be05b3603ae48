#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/cuda/cuda_codes.h"
#include "record/cuda/cuda_remarks.h"
#include "record/trace_of.h"
#include "trace/whole_trace.h"
#include "wire/cuda_record.h"

namespace sonde::record {
namespace cuda_recording_test {

/// Records as the injected library writes them, each a nanosecond after the one before.
class CudaWritten {
 public:
  explicit CudaWritten(int64_t time = 1000) : time_(time) {}
  template <typename Body>
  CudaWritten& add(wire::Kind kind, const Body& body, const std::string& behind = {}, uint16_t domain = 0) {
    const auto text = wire::padded(static_cast<uint32_t>(behind.size()));
    const auto bytes = static_cast<uint16_t>(sizeof(wire::RecordHead) + sizeof body + text);
    const wire::RecordHead head{kind, bytes, domain, 0, ++time_};
    const size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    std::memcpy(bytes_.data() + at, &head, sizeof head);
    std::memcpy(bytes_.data() + at + sizeof head, &body, sizeof body);
    std::memcpy(bytes_.data() + at + sizeof head + sizeof body, behind.data(), behind.size());
    return *this;
  }
  CudaWritten& name(uint32_t id, const std::string& text, uint16_t part = 0) {
    return add(wire::Kind::cuda_name, wire::CudaNameBody{id, static_cast<uint16_t>(text.size()), part}, text);
  }
  CudaWritten& call_name(uint32_t call, const std::string& text, uint16_t domain = kRuntimeDomain) {
    return add(wire::Kind::cuda_api_name, wire::DefinitionBody{call, static_cast<uint16_t>(text.size()), 0}, text,
               domain);
  }
  CudaWritten& call(int64_t start, int64_t end, uint32_t correlation, uint32_t number,
                    uint16_t domain = kRuntimeDomain) {
    return add(wire::Kind::cuda_call, wire::ApiCallBody{start, end, 17, correlation, number, 0}, {}, domain);
  }
  CudaWritten& kernel(int64_t start, int64_t end, uint32_t correlation, uint32_t name) {
    wire::KernelBody body{};
    body.start = start;
    body.end = end;
    body.place = {0, 1, 7, correlation};
    body.name = name;
    return add(wire::Kind::cuda_kernel, body);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  int64_t time_;
};

struct MadeOfCuda {
  Trace trace;
  Tally tally;
};

MadeOfCuda made_of_slices(const Slices& slices) {
  MadeOfCuda made;
  WholeTrace whole;
  made.trace.fields = Fields::all();
  made.tally = fill_alone(made.trace, slices, {.begin_ns = 100}, whole.taker());
  whole.put_into(made.trace);
  return made;
}

MadeOfCuda made_of_cuda(const CudaWritten& written) { return made_of_slices({.all = {{5, 9, written.bytes()}}}); }

std::vector<std::string> warnings(const CudaTally& tally) {
  std::vector<Remark> remarks;
  add_cuda_remarks(remarks, tally, {}, 0);
  std::vector<std::string> texts;
  for (const Remark& remark : remarks) {
    if (remark.warning) texts.push_back(remark.text);
  }
  return texts;
}

TEST(CudaRecording, AKernelHasItsNamesPlaceAndCall) {
  CudaWritten w;
  // The name comes in two parts, as long ones do.
  w.name(1, "_ZN4blas4gemmIfEEv").name(1, "PT_i", 1).call_name(211, "cudaLaunchKernel_v7000");
  w.add(wire::Kind::cuda_context, wire::ContextBody{1, 0, 7, 0});
  w.call(150, 160, 3, 211).kernel(170, 190, 3, 1);
  const MadeOfCuda made = made_of_cuda(w);
  const Trace& t = made.trace;
  ASSERT_EQ(t.kernels.start, (Times{70}));
  EXPECT_EQ(t.name(t.kernels.name[0]), "void blas::gemm<float>(float*, int)");
  EXPECT_EQ(t.name(t.kernels.short_name[0]), "gemm");
  EXPECT_EQ(t.name(t.kernels.mangled_name[0]), "_ZN4blas4gemmIfEEvPT_i");
  EXPECT_EQ(t.kernels.graph_node[0], kUnknown);
  const Stream& stream = t.streams[t.kernels.stream[0]];
  EXPECT_EQ(std::tuple(stream.context, stream.stream, stream.is_default), std::tuple(1U, 7U, true));
  ASSERT_EQ(t.api.start, (Times{50}));
  EXPECT_EQ(t.name(t.api.name[0]), "cudaLaunchKernel_v7000");
  EXPECT_EQ(t.threads[t.api.thread[0]].tid, 17);
  EXPECT_EQ(made.tally.cuda.launches, 1);
  EXPECT_TRUE(warnings(made.tally.cuda).empty());
}

TEST(CudaRecording, WhatTheGpuDoesBelongsToTheRoundInWhichItStartsOrInWhichItsCallLies) {
  CudaWritten w;
  w.name(1, "early").name(2, "within").name(3, "late").name(4, "of the next round");
  w.call(50, 60, 1, 211).call(150, 160, 2, 211).call(190, 195, 3, 211).call(250, 260, 4, 211);
  w.kernel(70, 90, 1, 1).kernel(170, 180, 2, 2).kernel(220, 230, 3, 3).kernel(270, 280, 4, 4);
  Trace trace;
  WholeTrace whole;
  trace.fields = Fields::all();
  const Extent round{.begin_ns = 100, .end_ns = 200};
  const Tally tally = fill_alone(trace, {.all = {{5, 9, w.bytes()}}}, round, whole.taker());
  whole.put_into(trace);
  EXPECT_EQ(trace.kernels.start, (Times{70, 120}));
  EXPECT_EQ(trace.api.start, (Times{50, 90}));
  EXPECT_EQ(tally.cuda.launched_nothing, 0);
}

TEST(CudaRecording, AnOperationThatIsPlacedBeforeItsCallStays) {
  CudaWritten w;
  w.name(1, "displaced").name(2, "of the round before").call_name(211, "cudaLaunchKernel_v7000");
  w.call(50, 60, 1, 211).kernel(70, 90, 1, 2).call(150, 160, 2, 211).kernel(80, 95, 2, 1);
  const MadeOfCuda made = made_of_cuda(w);
  ASSERT_EQ(made.trace.kernels.start, std::vector<int64_t>{0});
  EXPECT_EQ(made.trace.kernels.end, std::vector<int64_t>{0});
  EXPECT_EQ(made.trace.name(made.trace.kernels.name[0]), "displaced");
  EXPECT_EQ(made.tally.cuda.launched_nothing, 0);
  ASSERT_EQ(warnings(made.tally.cuda).size(), 1U);
  EXPECT_TRUE(warnings(made.tally.cuda)[0].starts_with("1 GPU operations have times before the recording"));
}

TEST(CudaRecording, CountsBeginWithTheRound) {
  CudaWritten w;
  wire::CudaTallyBody body{};
  body.records = 10;
  body.dropped = 3;
  w.add(wire::Kind::cuda_tally, body);  // written at 1001
  body.records = 15;
  w.add(wire::Kind::cuda_tally, body);
  Trace trace;
  WholeTrace whole;
  const Tally tally =
      fill_alone(trace, {.all = {{5, 9, w.bytes()}}}, {.begin_ns = 1002, .end_ns = 2000}, whole.taker());
  EXPECT_EQ(tally.cuda.records, 5U);
  EXPECT_EQ(tally.cuda.dropped, 0U);
}

TEST(CudaRecording, OfACallWithinACallTheOuterOneCounts) {
  CudaWritten w;
  w.call(100, 200, 3, 211).call(120, 180, 3, 307, 1).call(300, 310, 4, 307, 1);
  const Trace t = std::move(made_of_cuda(w).trace);
  ASSERT_EQ(t.api.start, (Times{0, 200}));
  EXPECT_EQ(t.api.call_class[0], static_cast<uint8_t>(CallClass::runtime));
  EXPECT_EQ(t.api.call_class[1], static_cast<uint8_t>(CallClass::driver));
  EXPECT_EQ(t.name(t.api.name[1]), "CUDA driver call 307 (name lost)");
}

TEST(CudaRecording, LaunchesWithoutAKernelAreAWarning) {
  CudaWritten w;
  w.call_name(211, "cudaLaunchKernel_v7000").call(100, 200, 3, 211).call(210, 220, 4, 211);
  const MadeOfCuda made = made_of_cuda(w);
  EXPECT_EQ(made.tally.cuda.launched_nothing, 2);
  const std::vector<std::string> warned = warnings(made.tally.cuda);
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_NE(warned[0].find("2 calls started kernels or graphs, but CUPTI delivered none of them"), std::string::npos);
}

TEST(CudaRecording, TimesThatCannotBeAreLeftOut) {
  CudaWritten w;
  w.kernel(200, 190, 1, 0).kernel(-5, 10, 2, 0).kernel(300, 300, 3, 0);
  const MadeOfCuda made = made_of_cuda(w);
  EXPECT_EQ(made.trace.kernels.start, (Times{200}));
  EXPECT_EQ(made.tally.cuda.broken_times, 2);
  EXPECT_EQ(made.trace.name(made.trace.kernels.name[0]), "kernel without a name");
}

TEST(CudaRecording, MigrationsAreCopiesAndFaultsAreNot) {
  CudaWritten w;
  const auto counter = [&](uint32_t kind, uint32_t source, uint32_t destination) {
    w.add(wire::Kind::cuda_unified, wire::UnifiedMemoryBody{500, 600, 4096, 0xABC, kind, source, destination, 2});
  };
  counter(1, kNone, 3);
  counter(2, 3, kNone);
  counter(4, 1, kNone);
  counter(5, 1, kNone);
  const MadeOfCuda made = made_of_cuda(w);
  EXPECT_EQ(made.trace.copies.kind, (Codes{11, 12}));
  EXPECT_EQ(made.trace.streams[made.trace.copies.stream[1]].ordinal, 3);
  EXPECT_EQ(made.trace.copies.bytes, (Longs{4096, 4096}));
  EXPECT_EQ(made.trace.page_faults.count, (Longs{4096}));
  EXPECT_EQ(made.tally.cuda.other_counters, 1);
}

TEST(CudaRecording, WaitsAreKnownByTheirShape) {
  CudaWritten w;
  w.add(wire::Kind::cuda_context, wire::ContextBody{1, 2, 7, 0});
  w.add(wire::Kind::cuda_sync, wire::SyncBody{200, 300, {0, 1, kNone, 1}, 4, kNone});
  w.add(wire::Kind::cuda_sync, wire::SyncBody{200, 300, {0, 1, 7, 2}, 2, 5});
  const Trace t = std::move(made_of_cuda(w).trace);
  EXPECT_EQ(t.syncs.kind, (Codes{static_cast<uint8_t>(SyncKind::device), 3}));
  EXPECT_EQ(t.streams[t.syncs.stream[0]].ordinal, 2);
}

TEST(CudaRecording, AGpuThatTwoProcessesSeeIsOne) {
  CudaWritten w;
  wire::DeviceBody gpu{};
  gpu.name = 1;
  gpu.sm_count = 132;
  gpu.clock_khz = 1'980'000;
  gpu.uuid[0] = 0xD7;
  w.name(1, "NVIDIA H100").add(wire::Kind::cuda_device, gpu);
  const MadeOfCuda made = made_of_slices({.all = {{5, 9, w.bytes()}, {6, 9, w.bytes()}}});
  ASSERT_EQ(made.trace.devices.size(), 1U);
  const Device& device = made.trace.devices[0];
  EXPECT_EQ(device.name, "NVIDIA H100");
  EXPECT_EQ(device.uuid, "d7000000-0000-0000-0000-000000000000");
  EXPECT_EQ(device.clock_hz, 1'980'000'000);
  EXPECT_EQ(device.sm_count, 132);
  EXPECT_EQ(device.l2_bytes, std::nullopt);
}

TEST(CudaRecording, ACallKeepsItsBackTrace) {
  CudaWritten w;
  std::string addresses(16, '\0');
  addresses[0] = 0x10;
  addresses[8] = 0x20;
  w.add(wire::Kind::call_chain, wire::CallChainBody{3, 2}, addresses).call(100, 200, 3, 211);
  const Trace t = std::move(made_of_cuda(w).trace);
  ASSERT_EQ(t.api.chain, (Ids{0}));
  EXPECT_EQ(t.chains.address, (Longs{0x10, 0x20}));
  EXPECT_EQ(t.chains.first, (Ids{0, 2}));
}

TEST(CudaRecording, ABackTraceIsNamedByTheCodeThatItsProcessReported) {
  CudaWritten w;
  std::string addresses(8, '\0');
  addresses[0] = 0x10;
  const std::string path = "/gone/lib.so";
  const auto map = [&](uint64_t offset) {
    w.add(wire::Kind::code_mapping, wire::CodeMappingBody{0, 0x1000, offset, 7, static_cast<uint16_t>(path.size()), {}},
          path);
  };
  map(0x2000);
  w.add(wire::Kind::call_chain, wire::CallChainBody{3, 1}, addresses);
  map(0x4000);  // in the place of the first
  w.add(wire::Kind::call_chain, wire::CallChainBody{4, 1}, addresses);
  w.call(100, 200, 3, 211).call(300, 400, 4, 211);
  const Trace t = std::move(made_of_cuda(w).trace);
  ASSERT_EQ(t.api.chain, (Ids{0, 1}));
  EXPECT_EQ(t.name(t.chains.module[0]), path);
  EXPECT_EQ(t.name(t.chains.symbol[0]), "0x200f");  // of the call, which the address is behind
  EXPECT_EQ(t.name(t.chains.symbol[1]), "0x400f");
}

TEST(CudaRecording, AProcessThatBecomesAnotherProgramRestartsItsCallNumbers) {
  CudaWritten first;
  std::string addresses(8, '\0');
  addresses[0] = 0x10;
  first.add(wire::Kind::process, wire::ProcessBody{1, 0, 0, {}});
  first.add(wire::Kind::call_chain, wire::CallChainBody{3, 1}, addresses).call(1001, 1010, 3, 211);
  CudaWritten second(2000);
  addresses[0] = 0x20;
  second.add(wire::Kind::process, wire::ProcessBody{1, 0, 0, {}});
  second.add(wire::Kind::call_chain, wire::CallChainBody{3, 1}, addresses).call(2001, 2010, 3, 211);
  const Trace t = std::move(made_of_slices({.all = {{5, 5, first.bytes()}, {5, 5, second.bytes()}}}).trace);
  ASSERT_EQ(t.api.chain, (Ids{0, 1}));
  EXPECT_EQ(t.chains.address, (Longs{0x10, 0x20}));
}

TEST(CudaRecording, ALaunchOfAGraphIsOfTheExecutableAndOfTheGraphThatItWasMadeOf) {
  CudaWritten w;
  const auto change = [&](wire::CudaGraphChange what, uint32_t graph, uint32_t executable) {
    w.add(wire::Kind::cuda_graph, wire::CudaGraphBody{what, graph, 0, executable});
  };
  const auto launch = [&](uint32_t number) {
    w.add(wire::Kind::cuda_graph_launch, wire::GraphLaunchBody{200 + number, 300, {0, 1, 7, number}, number, 0});
  };
  launch(2);  // CUPTI's thread writes before that of the program, or behind it
  change(wire::CudaGraphChange::created, 1, 0);
  change(wire::CudaGraphChange::instantiated, 1, 2);
  launch(9);
  const Trace t = std::move(made_of_cuda(w).trace);
  EXPECT_EQ(t.graph_launches.graph, (Ids{1, 9}));
  EXPECT_EQ(t.graph_launches.executable, (Ids{2, kNone}));
  ASSERT_EQ(t.graph_events.graph, (Longs{1, 1}));
  EXPECT_EQ(t.graph_events.executable, (Longs{kUnknown, 2}));
  EXPECT_EQ(t.name(t.graph_events.name[1]), "GraphExec Creation");
}

TEST(CudaRecording, ACopyBetweenGpusHasBoth) {
  CudaWritten w;
  wire::PeerCopyBody peer{};
  peer.copy.start = 200;
  peer.copy.end = 300;
  peer.copy.kind = static_cast<uint8_t>(CopyKind::peer_to_peer);
  peer.source_device = 1;
  peer.source_context = 11;
  peer.destination_device = 0;
  peer.destination_context = 10;
  w.add(wire::Kind::cuda_peer_copy, peer);
  wire::CopyBody copy{};
  copy.start = 400;
  copy.end = 500;
  w.add(wire::Kind::cuda_copy, copy);
  constexpr uint32_t kBetweenGpus = 8;
  w.add(wire::Kind::cuda_unified, wire::UnifiedMemoryBody{600, 700, 4096, 0xABC, kBetweenGpus, 3, 2, 0});
  const Trace t = std::move(made_of_cuda(w).trace);
  EXPECT_EQ(t.copies.source_device, (Ids{1, kNone, 3}));
  EXPECT_EQ(t.copies.source_context, (Ids{11, kNone, kNone}));
  EXPECT_EQ(t.copies.destination_device, (Ids{0, kNone, 2}));
  EXPECT_EQ(t.copies.destination_context, (Ids{10, kNone, kNone}));
}

TEST(CudaRecording, TheTimeOfAnEventIsWhenTheGpuCameToIt) {
  CudaWritten w;
  w.add(wire::Kind::cuda_event, wire::CudaEventBody{250, 1, 7, 5, 3});
  w.add(wire::Kind::cuda_event, wire::CudaEventBody{0, 1, 7, 5, 4});
  w.add(wire::Kind::cuda_event, wire::CudaEventBody{260, 1, 7, 5, 99});  // its call is not in the recording
  w.call(150, 160, 3, 211).call(170, 180, 4, 211);
  const Trace t = std::move(made_of_cuda(w).trace);
  EXPECT_EQ(t.cuda_events.start, (Times{kUnknown, 150}));
}

TEST(CudaRecording, CallsComeInParts) {
  CudaWritten w;
  constexpr uint32_t kCalls = 2 * kPartRows;
  for (uint32_t i = 0; i < kCalls; ++i) w.call(1000 + i, 1001 + i, i + 1, 211);
  std::vector<std::span<const std::byte>> slices;  // as the recorder copies them
  constexpr size_t kBytes = sizeof(wire::RecordHead) + sizeof(wire::ApiCallBody);
  for (size_t at = 0; at < w.bytes().size(); at += 100 * kBytes) slices.push_back(w.bytes().subspan(at, 100 * kBytes));
  Slices all;
  for (const auto& slice : slices) all.all.push_back({5, 9, slice});
  Trace trace;
  size_t largest = 0;
  size_t calls = 0;
  const Tally tally = fill_alone(trace, all, {.begin_ns = 100}, [&](const Trace& part) {
    largest = std::max(largest, part.api.start.size());
    calls += part.api.start.size();
  });
  EXPECT_EQ(calls, kCalls);
  EXPECT_EQ(tally.cuda.api_calls, kCalls);
  EXPECT_LE(largest, kPartRows + 100);
}

TEST(CudaRecording, TheLastCountOfAProcessCounts) {
  CudaWritten w;
  wire::CudaTallyBody counted{};
  counted.records = 5;
  w.add(wire::Kind::cuda_tally, counted);
  counted.records = 9;
  counted.dropped = 2;
  counted.invalid[static_cast<size_t>(wire::CudaInvalid::backwards)] = 3;
  w.add(wire::Kind::cuda_tally, counted);
  const CudaTally tally = made_of_cuda(w).tally.cuda;
  EXPECT_EQ(tally.records, 9U);
  EXPECT_EQ(warnings(tally).size(), 2U);
}

TEST(CudaRecording, ALongerBodyThanItsKindHasIsNoRecord) {
  CudaWritten w;
  struct TooLong {
    wire::StreamBody body;
    uint64_t more;
  };
  w.add(wire::Kind::cuda_stream, TooLong{});
  EXPECT_GT(made_of_cuda(w).tally.unread_bytes, 0);
}

}  // namespace cuda_recording_test
}  // namespace sonde::record
