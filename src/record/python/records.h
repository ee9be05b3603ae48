#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// What the sampler of Python hands to the spool.
namespace sonde::record::python {

enum class RecordKind : uint32_t { frame = 1, node, process, sample, tally };

/// A frame: a line of a function.
struct FrameRecord {
  uint32_t id;
  int32_t line;  ///< 0: not known
};

/// A stack: that of `parent` and, called from there, one frame more.
struct NodeRecord {
  uint32_t id;      ///< from 1 on
  uint32_t parent;  ///< 0: the frame is the outermost
  uint32_t frame;
  uint32_t unused = 0;
};

struct ProcessRecord {
  uint32_t process;
  uint32_t unused = 0;
};

struct SampleRecord {
  int64_t time;  ///< CLOCK_MONOTONIC
  uint32_t process;
  uint32_t thread;
  uint32_t node;   ///< 0: there is no stack
  uint16_t state;  ///< sonde::ThreadState
  uint16_t gil;    ///< sonde::GilUse
};

/// What is no sample, since the last tally.
struct TallyRecord {
  int64_t torn;      ///< stacks that made no sense: their threads ran on while they were read
  int64_t missed;    ///< samples of a process that were due when the recorder was late
  int64_t nameless;  ///< samples of threads whose number nobody tells
  int64_t own_ns;    ///< CPU time of the recorder
};

/// One of these, by its kind; the texts are those of a frame (function and file) and of a process (version and
/// problem).
struct PythonRecord {
  RecordKind kind{};
  FrameRecord frame{};
  NodeRecord node{};
  ProcessRecord process{};
  SampleRecord sample{};
  TallyRecord tally{};
  std::string_view first = {};
  std::string_view second = {};
};

void append(const FrameRecord& frame, std::string_view function, std::string_view file, std::vector<std::byte>& out);
void append(const NodeRecord& node, std::vector<std::byte>& out);
void append(const ProcessRecord& process, std::string_view version, std::string_view problem,
            std::vector<std::byte>& out);
void append(const SampleRecord& sample, std::vector<std::byte>& out);
void append(const TallyRecord& tally, std::vector<std::byte>& out);

/// Any bytes may come: the first that are no record end the reading.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] bool next(PythonRecord& record);
  /// Bytes that were not read.
  [[nodiscard]] size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace sonde::record::python
