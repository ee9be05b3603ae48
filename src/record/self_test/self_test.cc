#include "record/self_test/self_test.h"

#include <filesystem>

#include "base/files/small_file.h"
#include "record/rounds/mapping.h"
#include "record/self_test/exit_codes.h"
#include "wire/reader.h"
#include "wire/rounds.h"

namespace sonde::record {
namespace {

/// A context on a GPU takes below a second; on a host with many GPUs and no persistence daemon, some.
constexpr int64_t kTestTimeoutNs = 20'000'000'000;
constexpr size_t kMaxOutput = 65536;

int64_t kernels_in(const Mapping& mapping) {
  int64_t kernels = 0;
  for (uint32_t i = 0; i < wire::kChunks; ++i) {
    wire::ChunkHeader* chunk = wire::chunk_of(mapping.bytes(), i);
    const uint32_t committed = chunk->committed.load(std::memory_order_acquire);
    if (committed > wire::kRecordBytes) continue;
    wire::Reader reader({wire::records_of(chunk), committed});
    wire::Record record;
    while (reader.next(record)) kernels += record.head.kind == wire::Kind::cuda_kernel ? 1 : 0;
  }
  return kernels;
}

/// What it printed last: libraries of the driver may have said something before.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// A file that is gone when this is.
struct Scratch {
  std::string path = unused_name((std::filesystem::temp_directory_path() / "sonde-self-test").string());
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

SelfTest judged(const SubprocessEnd& end, int64_t kernels, std::string said) {
  using enum SelfTest::Outcome;
  if (end.status == kNoDriver) return {no_driver, std::move(said)};
  if (!end.succeeded()) return {failed, said.empty() ? end_text(end) : std::move(said)};
  return {kernels > 0 ? seen : not_seen, {}};
}

}  // namespace

std::optional<Remark> remark_of(const SelfTest& test) {
  switch (test.outcome) {
    case SelfTest::Outcome::no_driver: return {};
    case SelfTest::Outcome::seen: return Remark{false, "self-test: a test kernel was launched and recorded"};
    case SelfTest::Outcome::not_seen:
      return Remark{true,
                    "self-test: a test kernel was launched but not recorded, so kernels may be missing from this "
                    "recording; check for another profiler, or a CUPTI that does not match the driver"};
    case SelfTest::Outcome::failed:
      return Remark{true, fmt::format("self-test: the test kernel could not be launched: {}", test.text)};
  }
  return {};
}

Result<SelfTest> self_test(SubprocessRunner& runner, const std::string& program, const std::string& library) {
  const auto mapping = Mapping::create({.nvtx = false, .os_calls = false, .cuda = true});
  if (!mapping) return std::unexpected(mapping.error());
  wire::set_phase(mapping->header(), wire::Phase::recording);
  const Scratch scratch;
  const auto end =
      runner.run({.words = {program},
                  .environment = {{wire::kMappingVariable, mapping->place()}, {"CUDA_INJECTION64_PATH", library}},
                  .output_file = scratch.path,
                  .time_limit_ns = kTestTimeoutNs});
  if (!end) return SelfTest{SelfTest::Outcome::failed, end.error().message};
  if (end->interrupted) return fail("interrupted before the program was started");
  const auto said = read_small_file(scratch.path, kMaxOutput);
  return judged(*end, kernels_in(*mapping), last_line(said.value_or("")));
}

}  // namespace sonde::record
