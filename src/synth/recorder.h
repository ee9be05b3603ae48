#pragma once

#include <vector>

#include "synth/simulator.h"
#include "trace/trace.h"

namespace sonde::synth {

/// How ranges are written down: as a program with NVTX would, or as torch.profiler does.
enum class Form : uint8_t { nvtx, torch };

/// Writes down what the simulator tells as a Trace, not linked yet.
class Recorder final : public Observer {
 public:
  Recorder(const Program& program, Form form);

  [[nodiscard]] Trace take(int64_t total_ns);

  void on_operation(const Operation& op, uint16_t stream, int64_t start, int64_t end) override;
  void on_push(uint32_t thread, uint32_t range, int32_t iteration, int64_t time) override;
  void on_pop(uint32_t thread, int64_t time) override;
  void on_call(uint32_t thread, const Step& step, ApiCall call, uint32_t correlation, int64_t start,
               int64_t end) override;
  void on_library(uint32_t thread, uint32_t text, int64_t start, int64_t end) override;
  void on_os_call(uint32_t thread, uint32_t text, int64_t start, int64_t end, bool blocked) override;
  void on_cpu(uint32_t thread, int64_t start, int64_t end) override;
  void on_migration(uint32_t thread, const Step& step, int64_t start, int64_t end) override;

 private:
  struct KernelNames {
    NameId name;
    NameId short_name;
    NameId mangled_name;
  };
  struct RangeIds {
    NameId name = kNone;
    DomainId domain = kNoDomain;  ///< kNoDomain: this form does not record it
  };

  void describe_machine();
  void describe_device(uint16_t gpu);
  void describe_domains();
  void describe_chains();
  void kernel(const Operation& op, uint16_t stream, int64_t start, int64_t end);
  void copy(const Operation& op, uint16_t stream, int64_t start, int64_t end);
  void sync(const Step& step, uint32_t correlation, int64_t start, int64_t end);
  void allocation(uint32_t thread, const Step& step, uint32_t correlation, int64_t time);
  void graph_made(uint32_t thread, const Step& step, int64_t time);
  void migration(const Step& step, uint16_t gpu, int64_t start, int64_t end);
  void page_faults(const Step& step, uint16_t gpu, int64_t start, int64_t end);
  static void call_row(Calls& calls, uint32_t thread, NameId name, CallClass call_class, int64_t start, int64_t end);
  [[nodiscard]] NameId iteration_name(int32_t iteration);

  const Program& program_;
  Form form_;
  Trace trace_;
  std::vector<KernelNames> kernel_names_;
  std::vector<NameId> call_names_;
  std::vector<NameId> text_names_;
  std::vector<RangeIds> range_ids_;
  std::vector<NameId> range_shapes_;
  std::vector<std::vector<Row>> open_ranges_;  ///< of each thread; kNone for one that is not recorded
  std::vector<int64_t> next_sample_;           ///< of each thread
  std::vector<int64_t> allocated_;             ///< bytes, of each GPU
  uint64_t next_address_ = 0x7F0000000000;
};

}  // namespace sonde::synth
