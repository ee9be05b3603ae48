// many_ranges OUT.sqlite KERNELS: writes a profile with 3.5 CUDA calls and 8 nested NVTX ranges per kernel, like a
// training run with every operator annotated. One range in 16 has a name of its own (an op id), the others share 2,000
// names.

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "exporters/exporter.h"
#include "trace/columns.h"
#include "trace/trace.h"

namespace sonde {
namespace {

constexpr int64_t kStepNs = 20'000;  ///< host time of one kernel's ranges and calls
constexpr int kDepth = 8;
constexpr int kNames = 2'000;
constexpr int kOwnNameEvery = 16;
constexpr int kThreads = 4;

class Maker {
 public:
  Maker() {
    trace_.ranks.emplace_back().format = "nsys_sqlite";
    trace_.processes.push_back({.global_id = uint64_t{1} << 48 | 100 << 24, .pid = 100});
    for (int t = 0; t < kThreads; ++t) {
      trace_.threads.push_back({.process = 0,
                                .global_id = trace_.processes[0].global_id | (100U + t),
                                .tid = 100 + t,
                                .name = kNone,
                                .priority = {}});
    }
    Stream& s = trace_.streams.emplace_back();
    s.process = 0;
    s.ordinal = 0;
    s.context = 1;
    s.stream = 7;
    trace_.domains.push_back({trace_.names.intern("")});
    for (int n = 0; n < kNames; ++n) names_.push_back(trace_.names.intern(fmt::format("module.{}.forward", n)));
    launch_ = trace_.names.intern("cudaLaunchKernel_v7000");
    query_ = trace_.names.intern("cudaStreamIsCapturing_v10000");
  }

  void step(int64_t i) {
    const auto thread = static_cast<ThreadId>(i % kThreads);
    const int64_t start = i / kThreads * kStepNs;
    for (int depth = 0; depth < kDepth; ++depth)
      add_range(thread, start + depth, start + kStepNs - 1 - depth, i, depth);
    const int queries = i % 2 == 0 ? 2 : 3;
    for (int q = 0; q < queries; ++q) add_call(thread, start + 1'000 + q * 100, 50, query_);
    add_call(thread, start + 5'000, 3'000, launch_);
    add_kernel(i);
  }

  Trace take() { return std::move(trace_); }

 private:
  void add_range(ThreadId thread, int64_t start, int64_t end, int64_t i, int depth) {
    Ranges& r = trace_.ranges;
    const bool own = (i * kDepth + depth) % kOwnNameEvery == 0;
    r.start.push_back(start);
    r.end.push_back(end);
    r.name.push_back(own ? trace_.names.intern(fmt::format("aten::mm, op_id = {}", i))
                         : names_[static_cast<size_t>((i * 7 + depth * 13) % kNames)]);
    r.thread.push_back(thread);
    r.domain.push_back(0);
    r.style.push_back(static_cast<uint8_t>(RangeStyle::push_pop));
  }

  void add_call(ThreadId thread, int64_t start, int64_t duration, NameId name) {
    Calls& c = trace_.api;
    c.start.push_back(start);
    c.end.push_back(start + duration);
    c.name.push_back(name);
    c.thread.push_back(thread);
    c.call_class.push_back(static_cast<uint8_t>(CallClass::runtime));
    c.correlation.push_back(++correlation_);
    c.result.push_back(0);
  }

  void add_kernel(int64_t i) {
    Kernels& k = trace_.kernels;
    k.start.push_back(i * 5'000 + 10'000);
    k.end.push_back(k.start.back() + 1'000 + i % 3'000);
    k.stream.push_back(0);
    k.correlation.push_back(correlation_);
    k.name.push_back(names_[static_cast<size_t>(i % 200)]);
    k.short_name.push_back(k.name.back());
    k.mangled_name.push_back(k.name.back());
    k.grid.push_back({64, 1, 1});
    k.block.push_back({256, 1, 1});
  }

  Trace trace_;
  std::vector<NameId> names_;
  NameId launch_ = kNone;
  NameId query_ = kNone;
  uint32_t correlation_ = 0;
};

int run(const std::string& path, int64_t kernels) {
  Maker maker;
  for (int64_t i = 0; i < kernels; ++i) maker.step(i);
  const Trace trace = maker.take();
  const auto exporter = exporter_for(path);
  if (!exporter) return 2;
  const Status written = (*exporter)->write(trace, path, {.overwrite = true, .inputs = {}});
  if (!written) fmt::print(stderr, "many_ranges: {}\n", written.error().message);
  return written ? 0 : 1;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) { return argc == 3 ? sonde::run(argv[1], std::strtoll(argv[2], nullptr, 10)) : 2; }
