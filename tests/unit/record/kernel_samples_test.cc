#include "record/pc_sampling/kernel_samples.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/pc_record.h"

namespace sonde::record {
namespace kernel_samples_test {

constexpr uint32_t kProcess = 7;
constexpr uint64_t kCode = 0xC0DE;

/// A record as the wire's reader gives it, after it has read its bytes.
class SampleRecords {
 public:
  template <typename Body>
  void add(KernelSamples& samples, wire::Kind kind, const Body& body, std::string_view rest = {}) {
    std::vector<std::byte> bytes(sizeof(wire::RecordHead) + sizeof body +
                                 wire::padded(static_cast<uint32_t>(rest.size())));
    const wire::RecordHead head{kind, static_cast<uint16_t>(bytes.size()), 0, 0, 1};
    std::memcpy(bytes.data(), &head, sizeof head);
    std::memcpy(bytes.data() + sizeof head, &body, sizeof body);
    if (!rest.empty()) std::memcpy(bytes.data() + sizeof head + sizeof body, rest.data(), rest.size());
    wire::Reader reader(bytes);
    wire::Record record;
    read_ = reader.next(record);
    if (!read_) return;
    samples.add(record, kProcess);
    if (kind == wire::Kind::code_part) {
      wire::CodePartBody part{};
      std::memcpy(&part, record.body.data(), sizeof part);
      functions.add(kProcess, part, record.body.subspan(sizeof part, part.bytes));
    }
  }
  [[nodiscard]] bool was_read() const { return read_; }

  DeviceFunctions functions;

 private:
  bool read_ = false;
};

std::string_view bytes_of(const wire::StallPart& part) { return {reinterpret_cast<const char*>(&part), sizeof part}; }

KernelProfile launch(Trace& trace) {
  KernelProfile kernel;
  kernel.mangled_name = trace.names.intern("hot");
  return kernel;
}

/// Three samples at offset 16 of sampling 4, which belongs to kernel 2.
void add_samples(SampleRecords& records, KernelSamples& samples) {
  records.add(samples, wire::Kind::stall_reason, wire::StallReasonBody{0, 9, 4, {}}, "wait");
  records.add(samples, wire::Kind::pc_samples, wire::PcSamplesBody{4, kCode, 16, 0, 1, 0}, bytes_of({9, 3}));
  records.add(samples, wire::Kind::sampled_launch, wire::SampledLaunchBody{4, 2, 3, 0, 0, 0, 10});
}

TEST(KernelSamples, AShortReasonGetsTheNameThatReportsHave) {
  Trace trace;
  KernelSamples samples;
  SampleRecords records;
  add_samples(records, samples);
  KernelProfile kernel = launch(trace);
  samples.give_to(trace, kernel, kProcess, 2, records.functions);
  EXPECT_EQ(metric_number(trace, kernel, "smsp__pcsamp_warps_issue_stalled_wait").value_or(0), 3);
  EXPECT_EQ(metric_number(trace, kernel, "smsp__pcsamp_sample_count").value_or(0), 3);
  ASSERT_NE(kernel.function, kNone);
  EXPECT_EQ(trace.device_functions[kernel.function].mangled_name, kernel.mangled_name);
}

TEST(KernelSamples, AKernelOfAnotherProcessHasNone) {
  Trace trace;
  KernelSamples samples;
  SampleRecords records;
  add_samples(records, samples);
  KernelProfile kernel = launch(trace);
  samples.give_to(trace, kernel, kProcess + 1, 2, records.functions);
  EXPECT_TRUE(kernel.metrics.empty());
  EXPECT_EQ(samples.finish().without, 1);
}

TEST(KernelSamples, CodeThatIsNotWholeHasNoLines) {
  Trace trace;
  KernelSamples samples;
  SampleRecords records;
  records.add(samples, wire::Kind::code_part, wire::CodePartBody{kCode, 100, 12, 40, 4, 0}, "abcd");
  EXPECT_TRUE(records.was_read());
  add_samples(records, samples);
  KernelProfile kernel = launch(trace);
  samples.give_to(trace, kernel, kProcess, 2, records.functions);
  EXPECT_EQ(records.functions.incomplete(), 1);
  EXPECT_EQ(records.functions.without_lines(), 1);
}

TEST(KernelSamples, CodeThatLiesOutsideItsFileIsNoRecord) {
  KernelSamples samples;
  SampleRecords records;
  records.add(samples, wire::Kind::code_part, wire::CodePartBody{kCode, 42, 4, 40, 4, 0}, "abcd");
  EXPECT_FALSE(records.was_read());
  records.add(samples, wire::Kind::code_part, wire::CodePartBody{kCode, ~uint64_t{0}, 4, 40, 4, 0}, "abcd");
  EXPECT_FALSE(records.was_read());
  records.add(samples, wire::Kind::pc_samples, wire::PcSamplesBody{4, kCode, 16, 0, 2, 0}, bytes_of({9, 3}));
  EXPECT_FALSE(records.was_read());
}

}  // namespace kernel_samples_test
}  // namespace sonde::record
