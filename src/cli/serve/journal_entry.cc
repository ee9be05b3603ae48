#include "cli/serve/journal_entry.h"

#include <syslog.h>

#include <array>
#include <cstdint>

#include "cli/serve/log_text.h"

namespace sonde::serve {
namespace {

std::string journal_name(std::string_view name) {
  std::string result = "SONDE_";
  for (const char c : name) result += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

/// A value of several lines has its length before it, as 64 bits, little-endian.
void append(std::string& entry, std::string_view name, std::string_view value) {
  entry += name;
  if (value.contains('\n')) {
    entry += '\n';
    for (unsigned shift = 0; shift < 64; shift += 8)
      entry += static_cast<char>(uint64_t{value.size()} >> shift & 0xffU);
  } else {
    entry += '=';
  }
  entry += value;
  entry += '\n';
}

}  // namespace

std::string journal_entry(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  constexpr std::array kPriorities = {LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERR};
  std::string entry;
  append(entry, "MESSAGE", log_line(message, fields));
  append(entry, "SYSLOG_IDENTIFIER", "sonde");
  append(entry, "PRIORITY", std::to_string(kPriorities.at(static_cast<size_t>(level))));
  for (const LogField& field : fields) append(entry, journal_name(field.name), field.value);
  return entry;
}

}  // namespace sonde::serve
