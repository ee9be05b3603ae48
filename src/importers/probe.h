#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sonde {

/// Bytes at the start of a file that importers may look at: enough for a JSON trace's first keys or any banner.
inline constexpr size_t kHeadBytes = 4096;

/// What importers may ask of a file in order to recognize its format. Belongs to one thread.
class Probe {
 public:
  /// Fails if the file cannot be read.
  [[nodiscard]] static Result<Probe> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The first bytes, at most kHeadBytes.
  [[nodiscard]] std::string_view head() const { return head_; }
  /// The same, unpacked where the file is packed by gzip or zstd: at most kHeadBytes.
  [[nodiscard]] std::string_view plain_head() const;
  [[nodiscard]] bool is_sqlite() const;
  /// Names of the tables and views of a SQLite database. Empty for any other file and for a damaged database. The first
  /// call opens the database.
  [[nodiscard]] std::span<const std::string> tables() const;
  /// Why the table names of a SQLite database cannot be read; absent if they can.
  [[nodiscard]] std::optional<Error> database_error() const;

 private:
  using Tables = Result<std::vector<std::string>>;
  Probe(std::string path, std::string head) : path_(std::move(path)), head_(std::move(head)) {}
  [[nodiscard]] const Tables& read_tables() const;

  std::string path_;
  std::string head_;
  mutable std::optional<std::string>
      plain_head_;                        ///< absent until the first question, and for a file that is not packed
  mutable std::optional<Tables> tables_;  ///< absent until the first question
};

}  // namespace sonde
