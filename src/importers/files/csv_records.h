#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// The records of CSV with quoted fields that stand among other lines, as in a log: only a line that begins with a
/// quote begins a record. Quotes inside a field are doubled; a quoted field may hold line ends.
class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text) : text_(text) {}

  /// Reads the next record into `fields`; false at the end.
  [[nodiscard]] bool next(std::vector<std::string>& fields);

  [[nodiscard]] size_t position() const { return at_; }
  /// Lines that began with a quote and were no record.
  [[nodiscard]] int64_t malformed() const { return malformed_; }
  /// The text ends within a record.
  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  enum class End { field, record, bad, text };
  /// Reads a field at `at`, which moves behind its separator.
  End read_field(size_t& at, std::string& field) const;
  End read_quoted(size_t& at, std::string& field) const;
  [[nodiscard]] End behind_field(size_t& at) const;
  /// Moves to the next line that begins with a quote.
  [[nodiscard]] bool find_record();
  void skip_line();

  std::string_view text_;
  size_t at_ = 0;
  int64_t malformed_ = 0;
  bool truncated_ = false;
};

}  // namespace sonde
