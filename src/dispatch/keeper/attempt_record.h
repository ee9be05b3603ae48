#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The file `live/TASK.ATTEMPT`: it exists from before an attempt's start until its end is in the database, and is
/// locked (flock) as long as its keeper lives. Two blocks of text, each "sonde-attempt 1", lines "name=value" and a
/// checksum: who keeps it, written before the program is started (none: it never was), and how it ended.
/// A block is smaller than what a disk writes at once or is found to be torn by its checksum. A file is used again:
/// blocks of another attempt, which may come back after a power cut, count for nothing.
namespace sonde::dispatch::keeper {

constexpr size_t kRecordBytes = 2048;  ///< of each of the two blocks
constexpr int64_t kKeeperOffset = 0;
constexpr int64_t kEndOffset = 2048;
constexpr int kCancelMark = 0x536f6e64;  ///< value of the service's SIGTERM: others' are no cancelling

struct KeeperRecord {
  bool is_worker_request = false;  ///< no keeper: the service itself asked a worker
  std::string boot;                ///< /proc/sys/kernel/random/boot_id: process ids mean nothing after another start
  int64_t keeper = 0;              ///< process id
  int64_t keeper_start = 0;        ///< clock ticks since the host's start, of /proc/PID/stat
  int64_t task = 0;                ///< first process of the task, leader of its session; 0: not yet
  int64_t task_start = 0;
  std::string attempt = {};  ///< its name
};

struct EndRecord {
  std::string cause;  ///< exit, signal, time_limit, cancelled, lost, not_started, worker
  std::optional<int64_t> exit_status = {};
  std::optional<int64_t> signal = {};
  std::string message = {};  ///< one line; cut off where it is too long
  int64_t ended_ns = 0;
  std::string attempt = {};  ///< its name
};

/// "TASK.ATTEMPT".
[[nodiscard]] std::string attempt_name(int64_t task, int64_t attempt);

/// Of kRecordBytes.
[[nodiscard]] std::string record_text(const KeeperRecord& record);
[[nodiscard]] std::string record_text(const EndRecord& record);
/// Absent where there is none, or not all of one.
[[nodiscard]] std::optional<KeeperRecord> parse_keeper_record(std::string_view block);
[[nodiscard]] std::optional<EndRecord> parse_end_record(std::string_view block);

/// Of an open file. Reading: absent where the block is another attempt's.
[[nodiscard]] bool write_record(int file, int64_t offset, std::string_view text);
[[nodiscard]] std::optional<KeeperRecord> read_keeper_record(int file, std::string_view attempt);
[[nodiscard]] std::optional<EndRecord> read_end_record(int file, std::string_view attempt);

}  // namespace sonde::dispatch::keeper
