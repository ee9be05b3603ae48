#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/instructions/instruction_counts.h"
#include "record/kernels/request.h"
#include "record/pc_sampling/kernel_samples.h"
#include "trace/trace.h"
#include "wire/kernel_record.h"
#include "wire/reader.h"

namespace sonde::record {

/// What a process said of measuring; each different thing once.
struct MeasureNote {
  wire::MeasureState state;
  std::string text;
  int32_t result;
  std::string near = {};  ///< of an unknown metric: one that the chip has
  auto operator<=>(const MeasureNote&) const = default;
};

/// How measuring went.
struct MeasureTally {
  int64_t kernels = 0;
  int64_t values = 0;
  int64_t passes = 0;  ///< the most that a launch took
  std::vector<MeasureNote> notes;
  SampleTally samples;
  InstructionTally instructions;
  int64_t without_lines = 0;    ///< functions
  int64_t incomplete_code = 0;  ///< files of code whose source lines did not arrive as a whole
};

/// Makes kernel profiles of the records of measured launches. Records come in any order of their threads.
class KernelProfiles {
 public:
  KernelProfiles(Trace& trace, const MeasureRequest& request);

  /// `ranges`: those that were open around the launch, outermost first.
  void add(const wire::Record& record, uint32_t process, uint32_t thread, std::vector<OpenRange> ranges);
  /// After all records: gives the trace its profiles, in the order of their launches, and its devices.
  void finish();
  /// A record of wire/pc_record.h.
  void add_sample(const wire::Record& record, uint32_t process);
  [[nodiscard]] const MeasureTally& tally() const { return tally_; }

 private:
  struct Measured {
    int64_t time;
    uint32_t device;
    KernelProfile profile;
  };
  using KernelKey = std::pair<uint32_t, uint64_t>;  ///< process, number

  void note(const wire::Record& record);
  void add_kernel(const wire::Record& record, uint32_t process, uint32_t thread, std::vector<OpenRange> ranges);
  void add_values(const wire::Record& record, uint32_t process);
  void add_device_text(const wire::Record& record);
  void add_device_attribute(const wire::Record& record);
  void place_devices();
  [[nodiscard]] NameId metric_name(uint32_t place) const;

  Trace& trace_;
  std::vector<NameId> names_;  ///< of the metrics by their places
  std::map<KernelKey, Measured> kernels_;
  std::map<KernelKey, std::vector<Metric>> values_;
  std::map<uint32_t, Device> devices_;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> attributes_;  ///< by device and CUdevice_attribute
  std::set<MeasureNote> noted_;
  bool last_is_new_ = false;  ///< the last note that was met is at the end of the tally's
  MeasureTally tally_;
  DeviceFunctions functions_;
  KernelSamples samples_;
  InstructionCounts instructions_;
};

}  // namespace sonde::record
