#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "analyses/gpus/communication_kind.h"
#include "analyses/replay/replay.h"
#include "shared/trace_builder.h"
#include "trace/columns.h"

/// Small made programs are run by a model of a host and a GPU, changed, and run again: each operation starts as early
/// as the changed program allows. A bound holds if that gains no more than the replay of the first run says.
namespace sonde {
namespace replay_bounds_test {

enum class Kind { kernel, copy, wait };

/// What a program's thread does next: it works, then makes a call.
struct Step {
  Kind kind = Kind::kernel;
  size_t stream = 0;
  int64_t host_ns = 0;  ///< work before the call
  int64_t call_ns = 0;  ///< without waiting
  int64_t gpu_ns = 0;
};
using Program = std::vector<Step>;

/// What the model adds to each operation and wait.
struct Delays {
  int64_t launch_ns = 0;     ///< from the call's return to the operation's start
  int64_t operation_ns = 0;  ///< from the end of the one before on the stream
  int64_t wake_ns = 0;       ///< from the last end to a wait's return
};

struct Done {
  int64_t called = 0;
  int64_t returned = 0;
  int64_t started = 0;
  int64_t ended = 0;
};

/// How kernels of different streams start: each when it can, each behind the one before it, or those between two waits
/// when the first of them has started.
enum class Kernels { free, one_by_one, together };

constexpr size_t kStreams = 3;  ///< of recorded programs; changed ones have one more
constexpr int64_t kLongAgo = -1'000'000;

/// Runs a program: copies share one engine, the host runs ahead until it waits for all that it launched.
class Model {
 public:
  explicit Model(Delays delays, Kernels kernels = Kernels::free) : delays_(delays), kernels_(kernels) {}

  Done call(const Step& step) {
    host_ += step.host_ns;
    Done done{.called = host_, .returned = host_ + step.call_ns};
    if (step.kind == Kind::wait) done.returned = std::max(done.returned, last_end_ + delays_.wake_ns);
    host_ = done.returned;
    if (step.kind == Kind::wait) {
      first_start_ = kLongAgo;
    } else {
      run(step, done);
    }
    return done;
  }
  void work_on_host(int64_t ns) { host_ += ns; }
  [[nodiscard]] int64_t end() const { return std::max(host_, last_end_); }

 private:
  void run(const Step& step, Done& done) {
    int64_t before = stream_end_[step.stream];
    const bool kernel = step.kind == Kind::kernel;
    if (kernel && kernels_ == Kernels::one_by_one) before = std::max(before, kernel_end_);
    done.started = std::max(done.returned + delays_.launch_ns, before + delays_.operation_ns);
    if (!kernel) done.started = std::max(done.started, engine_end_);
    if (kernel && kernels_ == Kernels::together) done.started = std::max(done.started, first_start_);
    if (kernel && first_start_ == kLongAgo) first_start_ = done.started;
    done.ended = done.started + step.gpu_ns;
    (kernel ? kernel_end_ : engine_end_) = done.ended;
    stream_end_[step.stream] = done.ended;
    last_end_ = std::max(last_end_, done.ended);
  }

  Delays delays_;
  Kernels kernels_;
  int64_t host_ = 0;
  int64_t last_end_ = 0;
  int64_t engine_end_ = kLongAgo;
  int64_t kernel_end_ = kLongAgo;
  int64_t first_start_ = kLongAgo;  ///< of the kernels since the last wait
  std::vector<int64_t> stream_end_ = std::vector<int64_t>(kStreams + 1, kLongAgo);
};

/// A program's first run: its trace, and which row each step is.
class Recorded {
 public:
  Recorded(const Program& program, Delays delays, Kernels kernels) {
    TraceBuilder b;
    thread_ = b.thread(10, 10);
    for (size_t i = 0; i < kStreams; ++i) b.stream(10);
    Model model(delays, kernels);
    for (const Step& step : program) {
      done.push_back(model.call(step));
      const Done& d = done.back();
      if (step.kind == Kind::wait) {
        b.call(thread_, d.called, d.returned, "cudaDeviceSynchronize_v3020");
        continue;
      }
      const bool copy = step.kind == Kind::copy;
      const uint32_t correlation =
          b.call(thread_, d.called, d.returned, copy ? "cudaMemcpyAsync_v3020" : "cudaLaunchKernel_v7000");
      const auto stream = static_cast<StreamId>(step.stream);
      if (copy) {
        b.host_copy(stream, d.started, d.ended, CopyKind::host_to_device, MemoryKind::pinned, 1 << 20, correlation);
      } else {
        b.kernel(stream, d.started, d.ended, "work", correlation);
      }
    }
    end_ = model.end();
    trace_ = b.build();
  }

  [[nodiscard]] int64_t end() const { return end_; }
  [[nodiscard]] Cut cut(int64_t start, int64_t stop) const { return {thread_, start, stop}; }
  [[nodiscard]] Row kernel(size_t step) const { return row(trace_.kernels, step); }
  [[nodiscard]] Row copy(size_t step) const { return row(trace_.copies, step); }
  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] int64_t replayed_end(const Change& change) const {
    const Gpus gpus = gpus_of(trace_);
    const Collectives collectives = match_collectives(trace_, gpus, communication_kinds(trace_));
    return Replays(trace_, gpus, collectives, api_kinds(trace_), {0, end_}).end_ns(change);
  }

  std::vector<Done> done;  ///< of each step

 private:
  [[nodiscard]] Row row(const GpuOps& ops, size_t step) const {
    for (Row row = 0; row < row_count(ops); ++row) {
      if (trace_.api.start[ops.launch[row]] == done[step].called) return row;
    }
    ADD_FAILURE() << "no operation of step " << step;
    return 0;
  }

  ThreadId thread_ = 0;
  int64_t end_ = 0;
  Trace trace_;
};

/// The end of a program's run.
int64_t end_of(const Program& program, Delays delays, Kernels kernels = Kernels::free) {
  Model model(delays, kernels);
  for (const Step& step : program) model.call(step);
  return model.end();
}

constexpr int64_t kMostSteps = 9;
constexpr int64_t kWaitKind = 9;

class Programs {
 public:
  explicit Programs(uint32_t seed) : random_(seed) {}

  int64_t between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  /// At least every `most_together + 1`th step is a wait.
  Program next(int64_t most_together) {
    Program program;
    const int64_t steps = between(5, kMostSteps);
    int64_t together = 0;
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t kind = together == most_together ? kWaitKind : between(0, kWaitKind);
      together = kind < 8 ? together + 1 : 0;
      Step step{.kind = kind < 6   ? Kind::kernel
                        : kind < 8 ? Kind::copy
                                   : Kind::wait,
                .stream = static_cast<size_t>(between(0, kStreams - 1)),
                .host_ns = between(0, 60'000),
                .call_ns = kind < 8 ? between(4'000, 9'000) : 5'000,
                .gpu_ns = between(2'000, 90'000)};
      program.push_back(step);
    }
    return program;
  }

 private:
  std::mt19937 random_;
};

constexpr uint32_t kPrograms = 400;
constexpr uint32_t kSearchedPrograms = 300;
constexpr int64_t kMostTogether = 6;  ///< operations between two waits where all schedules are tried
constexpr Delays kDelays{.launch_ns = 3'000, .operation_ns = 1'000, .wake_ns = 4'000};

/// What the bounds of many programs are together, beside what the changed programs gain.
struct Sums {
  int64_t bound = 0;
  int64_t gain = 0;
};

/// For each program, with and without delays: `change` says what is asked of the replay, and returns the best end of
/// the changed program.
template <typename Changed>
Sums compare(const Changed& changed, Kernels kernels = Kernels::free, uint32_t programs_of_each = kPrograms,
             int64_t most_together = kMostSteps) {
  Sums sums;
  for (const Delays& delays : {Delays{}, kDelays}) {
    for (uint32_t seed = 0; seed < programs_of_each; ++seed) {
      Programs programs(seed);
      const Program program = programs.next(most_together);
      const Recorded recorded(program, delays, kernels);
      EXPECT_EQ(recorded.replayed_end({}), recorded.end()) << "program " << seed;
      Change change;
      const int64_t best = changed(programs, program, recorded, delays, change);
      const int64_t bound = recorded.end() - recorded.replayed_end(change);
      // What starting took beyond the delays that a trace shows stays as recorded.
      EXPECT_GE(bound + delays.operation_ns, recorded.end() - best)
          << "program " << seed << ", launch delay " << delays.launch_ns;
      sums.bound += bound;
      sums.gain += recorded.end() - best;
    }
  }
  return sums;
}

bool is_close(const Sums& sums, double factor) {
  return static_cast<double>(sums.bound) <= factor * static_cast<double>(sums.gain);
}

TEST(ReplayBounds, FasterKernels) {
  const Sums sums = compare(
      [](Programs& programs, const Program& program, const Recorded& recorded, const Delays& delays, Change& change) {
        Program faster = program;
        for (size_t i = 0; i < program.size(); ++i) {
          if (program[i].kind != Kind::kernel || programs.between(0, 1) == 0) continue;
          faster[i].gpu_ns = programs.between(0, program[i].gpu_ns);
          change.kernels.push_back({recorded.kernel(i), faster[i].gpu_ns});
        }
        return end_of(faster, delays);
      });
  EXPECT_TRUE(is_close(sums, 1.1)) << sums.bound << " against " << sums.gain;
}

TEST(ReplayBounds, LessWorkOnTheHost) {
  const Sums sums = compare(
      [](Programs& programs, const Program& program, const Recorded& recorded, const Delays& delays, Change& change) {
        Program faster = program;
        for (size_t i = 0; i < program.size(); ++i) {
          if (programs.between(0, 1) == 0 || program[i].host_ns == 0) continue;
          const int64_t saved = programs.between(1, program[i].host_ns);
          faster[i].host_ns -= saved;
          change.cuts.push_back(recorded.cut(recorded.done[i].called - saved, recorded.done[i].called));
        }
        return end_of(faster, delays);
      });
  EXPECT_TRUE(is_close(sums, 1.1)) << sums.bound << " against " << sums.gain;
}

TEST(ReplayBounds, WaitsThatAreNotMade) {
  const Sums sums = compare(
      [](Programs& programs, const Program& program, const Recorded& recorded, const Delays& delays, Change& change) {
        Model model(delays);
        for (size_t i = 0; i < program.size(); ++i) {
          if (program[i].kind != Kind::wait || programs.between(0, 2) == 0) {
            model.call(program[i]);
            continue;
          }
          model.work_on_host(program[i].host_ns);
          change.cuts.push_back(recorded.cut(recorded.done[i].called, recorded.done[i].returned));
        }
        return model.end();
      });
  EXPECT_TRUE(is_close(sums, 1.1)) << sums.bound << " against " << sums.gain;
}

/// Copies for the next pass, on a stream of their own: waits of the host alone wait for them.
TEST(ReplayBounds, CopiesMadeAhead) {
  const Sums sums =
      compare([](Programs&, const Program& program, const Recorded& recorded, const Delays& delays, Change& change) {
        Program ahead = program;
        for (size_t i = 0; i < program.size(); ++i) {
          if (program[i].kind != Kind::copy) continue;
          ahead[i].stream = kStreams;
          change.ahead.push_back(recorded.copy(i));
        }
        return end_of(ahead, delays);
      });
  EXPECT_TRUE(is_close(sums, 1.1)) << sums.bound << " against " << sums.gain;
}

/// Kernels on several streams that waited for each other, and need not.
TEST(ReplayBounds, KernelsSideBySide) {
  const Sums sums = compare(
      [](Programs&, const Program& program, const Recorded& recorded, const Delays& delays, Change& change) {
        change.side_by_side.emplace_back();
        for (size_t i = 0; i < program.size(); ++i) {
          if (program[i].kind == Kind::wait) change.side_by_side.emplace_back();
          if (program[i].kind != Kind::kernel) continue;
          change.side_by_side.back().operations.push_back({&recorded.trace().kernels, recorded.kernel(i)});
        }
        return end_of(program, delays, Kernels::together);
      },
      Kernels::one_by_one);
  EXPECT_TRUE(is_close(sums, 1.1)) << sums.bound << " against " << sums.gain;
}

/// What is launched between two waits may run in any order that keeps that of each stream's kernels. Copies have a
/// stream each, but take turns. The host launches as recorded. Tries every order.
class AllSchedules {
 public:
  explicit AllSchedules(Delays delays) : delays_(delays) {}

  /// The earliest end of a program.
  int64_t best_end(const Program& program) {
    for (const Step& step : program) {
      host_ += step.host_ns + step.call_ns;
      if (step.kind == Kind::wait) {
        host_ = std::max(host_, best_of_launched() + delays_.wake_ns);
      } else {
        launched_.push_back({step.kind == Kind::copy, step.stream, host_ + delays_.launch_ns, step.gpu_ns});
      }
    }
    return std::max(host_, best_of_launched());
  }

 private:
  struct Operation {
    bool copy;
    size_t stream;
    int64_t ready;
    int64_t gpu_ns;
  };

  /// The earliest end of all that has been launched since the last wait.
  int64_t best_of_launched() {
    if (launched_.empty()) return kLongAgo;
    std::vector<size_t> order(launched_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    int64_t best = std::numeric_limits<int64_t>::max();
    do {
      if (keeps_streams(order)) best = std::min(best, end_of_schedule(order));
    } while (std::ranges::next_permutation(order).found);
    launched_.clear();
    return best;
  }
  [[nodiscard]] bool keeps_streams(const std::vector<size_t>& order) const {
    std::array<size_t, kStreams> next{};
    return std::ranges::all_of(order, [&](size_t i) {
      if (launched_[i].copy) return true;
      size_t& least = next[launched_[i].stream];
      const bool in_order = i >= least;
      least = i;
      return in_order;
    });
  }
  [[nodiscard]] int64_t end_of_schedule(const std::vector<size_t>& order) const {
    std::array<int64_t, kStreams> stream_end;
    stream_end.fill(kLongAgo);
    int64_t copies_end = kLongAgo;
    int64_t last = kLongAgo;
    for (const size_t i : order) {
      const Operation& op = launched_[i];
      int64_t& before = op.copy ? copies_end : stream_end[op.stream];
      before = std::max(op.ready, before + delays_.operation_ns) + op.gpu_ns;
      last = std::max(last, before);
    }
    return last;
  }

  Delays delays_;
  int64_t host_ = 0;
  std::vector<Operation> launched_;
};

TEST(ReplayBounds, NoScheduleOfIndependentWorkIsBetter) {
  const Sums sums = compare(
      [](Programs&, const Program& program, const Recorded& recorded, const Delays& delays, Change& change) {
        change.side_by_side.emplace_back();
        for (size_t i = 0; i < program.size(); ++i) {
          if (program[i].kind == Kind::wait) change.side_by_side.emplace_back();
          if (program[i].kind == Kind::copy) change.ahead.push_back(recorded.copy(i));
          if (program[i].kind != Kind::kernel) continue;
          change.side_by_side.back().operations.push_back({&recorded.trace().kernels, recorded.kernel(i)});
        }
        return AllSchedules(delays).best_end(program);
      },
      Kernels::one_by_one, kSearchedPrograms, kMostTogether);
  EXPECT_TRUE(is_close(sums, 1.1)) << sums.bound << " against " << sums.gain;
}

/// Tables may leave the stream out: Nsight Systems writes NULL where it is the default one of a context.
TEST(Replay, AWaitForAStreamThatNoTableNamesIsOneForSomething) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 1);
  const StreamId stream = b.stream(1);
  b.kernel(stream, 1'000, 9'000, "long", b.call(thread, 0, 500));
  const uint32_t wait = b.call(thread, 600, 9'500, "cudaStreamSynchronize_v3020");
  Trace trace = b.build();
  Syncs& syncs = trace.syncs;
  syncs.start.push_back(700);
  syncs.end.push_back(9'400);
  syncs.stream.push_back(kNone);
  syncs.correlation.push_back(wait);
  syncs.launch.push_back(1);
  syncs.kind.push_back(static_cast<uint8_t>(SyncKind::stream));
  syncs.event.push_back(kNone);
  const Gpus gpus = gpus_of(trace);
  const Replays replays(trace, gpus, match_collectives(trace, gpus, communication_kinds(trace)), api_kinds(trace),
                        {0, 10'000});
  EXPECT_EQ(replays.end_ns({}), 9'500);
  Change change;
  change.kernels.push_back({0, 1'000});
  EXPECT_LT(replays.end_ns(change), 9'500);
}

}  // namespace replay_bounds_test
}  // namespace sonde
