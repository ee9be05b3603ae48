#include "record/cpu/running_processes.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "record/cpu/perf_records.h"

namespace sonde::record {
namespace {

/// A line of /proc/PID/maps: "7f00-7f10 r-xp 00000000 08:01 1234  /usr/lib/x.so".
bool read_line(const std::string& line, PerfRecord& mapping) {
  uint64_t end = 0;
  char protection[5] = {};
  int path = 0;
  // NOLINTNEXTLINE(cert-err34-c): lines of the kernel's own
  const int fields = std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n",
                                 &mapping.address, &end, protection, &mapping.offset, &mapping.inode, &path);
  constexpr int kFields = 5;
  if (fields != kFields || protection[2] != 'x' || end <= mapping.address) return false;
  mapping.length = end - mapping.address;
  mapping.text = std::string_view(line).substr(std::min(line.size(), static_cast<size_t>(path)));
  return true;
}

PerfRecord of_process(uint32_t process, int64_t time) {
  PerfRecord record;
  record.process = record.thread = process;
  record.time = time;
  return record;
}

}  // namespace

void append_running_processes(int64_t time, std::vector<std::byte>& out) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string number = entry.path().filename();
    uint32_t process = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), process).ec != std::errc()) continue;
    std::ifstream name(entry.path() / "comm");
    std::string line;
    PerfRecord named = of_process(process, time);
    if (std::getline(name, line)) {
      named.text = line;
      append_name(named, out);
    }
    std::ifstream maps(entry.path() / "maps");
    while (std::getline(maps, line)) {
      PerfRecord mapping = of_process(process, time);
      if (read_line(line, mapping)) append_mapping(mapping, out);
    }
  }
}

}  // namespace sonde::record
