#pragma once

#include <string>
#include <string_view>

#include "synth/program.h"

namespace sonde::synth {

/// Writes the steps of one host thread. Names of draws come from the path of open ranges, so that steps added by a
/// plant change no others.
class Builder {
 public:
  Builder(Program& program, std::string thread_name, uint16_t gpu);

  void to_before() { steps_ = &thread().before; }
  void to_iteration() { steps_ = &thread().iteration; }
  void to_after() { steps_ = &thread().after; }

  void push(RangeLevel level, std::string nvtx, std::string torch);
  /// A range of an operator; `sequence` joins forward and backward ones.
  void push_op(std::string name, int64_t sequence, bool backward, std::string shapes = {});
  void pop();

  /// Host work of an operator and the launch of its kernel.
  void launch(uint32_t kernel, uint16_t stream);
  /// The same through cuBLAS.
  void launch_gemm(uint32_t kernel, uint16_t stream);
  void collective(uint32_t kernel, uint16_t stream);
  void copy(CopyKind kind, int64_t bytes, MemoryKind host_memory, uint16_t stream);
  void set(int64_t bytes, uint16_t stream);
  void record(uint32_t event, uint16_t stream);
  void stream_wait(uint32_t event, uint16_t stream);
  void sync_stream(uint16_t stream);
  void sync_event(uint32_t event);
  void sync_device(uint16_t stream);
  void call(ApiCall call);
  void allocate(int64_t bytes, std::string_view what);
  void release(int64_t bytes, std::string_view what);
  void host(int64_t ns, std::string_view what);
  void os(std::string_view name, int64_t ns);
  void post(uint32_t semaphore);
  void wait(uint32_t semaphore, std::string_view os_name);
  void unified(StepKind kind, int64_t bytes, int32_t every);
  Step& add(Step step, std::string_view what);

  [[nodiscard]] Program& program() { return program_; }

 private:
  HostThread& thread() { return program_.threads[thread_]; }
  Program& program_;
  size_t thread_;
  Steps* steps_ = nullptr;
  std::string path_;
  std::vector<size_t> path_ends_;
  uint32_t in_path_ = 0;
};

/// The number of a kernel with this name, made where it is new.
[[nodiscard]] uint32_t add_kernel(Program& program, Kernel kernel);
[[nodiscard]] uint32_t add_text(Program& program, std::string_view text);
[[nodiscard]] uint16_t add_stream(Program& program, uint16_t gpu, uint32_t id, bool is_default, int priority = 0);
[[nodiscard]] uint32_t add_semaphore(Program& program, int32_t posted = 0);

}  // namespace sonde::synth
