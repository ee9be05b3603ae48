#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "synth/gpu_queues.h"
#include "synth/noise.h"
#include "synth/program.h"
#include "synth/recording_model.h"

namespace sonde::synth {

/// Told of everything that happens, as it becomes known. Threads are numbers of Program::threads.
class Observer : public OperationSink {
 public:
  virtual void on_push(uint32_t thread, uint32_t range, int32_t iteration, int64_t time) = 0;
  virtual void on_pop(uint32_t thread, int64_t time) = 0;
  virtual void on_call(uint32_t thread, const Step& step, ApiCall call, uint32_t correlation, int64_t start,
                       int64_t end) = 0;
  virtual void on_library(uint32_t thread, uint32_t text, int64_t start, int64_t end) = 0;
  virtual void on_os_call(uint32_t thread, uint32_t text, int64_t start, int64_t end, bool blocked) = 0;
  /// The thread used a core from `start` to `end`.
  virtual void on_cpu(uint32_t thread, int64_t start, int64_t end) = 0;
  virtual void on_migration(uint32_t thread, const Step& step, int64_t start, int64_t end) = 0;
};

/// Start and end of each outermost range of the first thread: its iterations.
using StepTimes = std::vector<std::pair<int64_t, int64_t>>;

/// Runs a program: host threads take their steps one after another, and block where CUDA would block them.
class Simulator {
 public:
  /// `observer` may be null: then only the total time is of interest. `recording` slows the program down.
  Simulator(const Program& program, uint64_t seed, int32_t iterations, Observer* observer,
            const RecordingModel& recording = {});

  /// The end of the last event. Fails when the program waits for itself.
  [[nodiscard]] Result<int64_t> run(Progress& progress);
  [[nodiscard]] const StepTimes& steps() const { return steps_; }

 private:
  enum class Section : uint8_t { before, iteration, after, done };
  struct Thread {
    const HostThread* code = nullptr;
    uint32_t id = 0;
    Section section = Section::before;
    int32_t iteration = -1;
    size_t next = 0;
    std::vector<uint32_t> open;  ///< ranges
    int64_t time = 0;
    int64_t began = kUnknown;         ///< when the step at hand was first tried
    std::vector<Position> waits_for;  ///< of the step at hand
    bool suspended = false;
    int64_t library_began = 0;
    uint32_t library = 0;
    uint32_t copy_correlation = 0;
  };
  struct Semaphore {
    std::deque<int64_t> posts;
    std::optional<uint32_t> waiter;
  };

  Thread* next_thread();
  void run_until_behind(Thread& thread, int64_t limit, Progress& progress);
  const Step* step_at(Thread& thread, Progress& progress) const;
  bool try_step(Thread& thread, const Step& step);
  bool wake_threads();

  bool launch(Thread& t, const Step& s, ApiCall call);
  bool copy(Thread& t, const Step& s);
  bool synchronize(Thread& t, const Step& s, ApiCall call);
  std::vector<Position> targets_of(const Thread& t, const Step& s) const;
  bool await_all(Thread& t, int64_t& end);
  bool release(Thread& t, const Step& s);
  bool wait_semaphore(Thread& t, const Step& s);
  void post(Thread& t, const Step& s);
  void host_work(Thread& t, const Step& s);
  void os_call(Thread& t, const Step& s);
  void plain_call(Thread& t, const Step& s, ApiCall call);
  void migrate(Thread& t, const Step& s);
  void range_step(Thread& t, const Step& s);
  void library_step(Thread& t, const Step& s);

  [[nodiscard]] int64_t cost_of(const Thread& t, const Step& s, ApiCall call) const;
  /// Of calls that the first iterations do not slow down.
  [[nodiscard]] int64_t plain_cost_of(const Thread& t, const Step& s, ApiCall call) const;
  /// What recording an operator or a call adds.
  [[nodiscard]] int64_t recording_ns(int64_t cost, const Thread& t, const Step& s) const;
  void end_call(Thread& t, const Step& s, ApiCall call, uint32_t correlation, int64_t cpu_ns, int64_t end);

  const Program& program_;
  Noise noise_;
  int32_t iterations_;
  Observer* observer_;
  RecordingModel recording_;
  GpuQueues gpus_;
  std::vector<Thread> threads_;
  std::vector<Semaphore> semaphores_;
  std::vector<std::optional<Position>> events_;
  uint32_t correlation_ = 0;
  StepTimes steps_;
  bool woke_ = false;  ///< since it was last asked
};

}  // namespace sonde::synth
