#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/cpu/perf_records.h"

namespace sonde::record {

/// A file as it was when it was mapped. Two of one path may be different files.
struct FileIdentity {
  std::string path;
  std::string build_id;  ///< its bytes; empty: not known
  uint64_t inode = 0;    ///< 0: not known
  auto operator<=>(const FileIdentity&) const = default;
};

using FileId = uint32_t;

/// Where an address lies.
struct CodePlace {
  FileId file;
  uint64_t offset;  ///< in the file
};

/// Which files' code lay where in each process at each time. Linux tells what is mapped and not what is unmapped: what
/// was mapped last at an address counts.
class AddressSpaces {
 public:
  /// Of MMAP2, COMM (exec), FORK; others change nothing. In the order of time.
  void add(const PerfRecord& record);

  /// Whether anything is known of a process.
  [[nodiscard]] bool knows(uint32_t process) const { return of_process_.contains(process); }
  [[nodiscard]] std::optional<CodePlace> find(uint32_t process, int64_t time, uint64_t address) const;
  /// Numbers one life of one program of a process.
  [[nodiscard]] uint32_t image(uint32_t process, int64_t time) const;
  /// Numbers a part of such a life in which equal addresses mean the same code: nothing took the place of something.
  [[nodiscard]] uint64_t era(uint32_t process, int64_t time) const;
  [[nodiscard]] const std::vector<FileIdentity>& files() const { return files_; }

 private:
  struct Mapping {
    uint64_t end;
    uint64_t offset;
    int64_t since;
    FileId file;
    bool operator==(const Mapping& other) const {
      return std::tie(end, offset, file) == std::tie(other.end, other.offset, other.file);
    }
  };
  /// From fork() or exec() on. A forked one has what its parent had then.
  struct Space {
    int64_t since;
    uint32_t parent;
    uint64_t longest = 0;
    std::multimap<uint64_t, Mapping> mappings;
    std::vector<int64_t> replacements;  ///< when something was mapped where something else had been

    [[nodiscard]] bool has_any(uint64_t begin, uint64_t end) const;
  };

  uint32_t begin(uint32_t process, int64_t time, uint32_t parent);
  void map(const PerfRecord& record);
  FileId file_of(const PerfRecord& record);

  std::vector<Space> spaces_;
  boost::unordered_flat_map<uint32_t, std::vector<uint32_t>> of_process_;
  std::vector<FileIdentity> files_;
  std::map<FileIdentity, FileId> known_files_;
};

}  // namespace sonde::record
