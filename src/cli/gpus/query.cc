#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/suggest.h"
#include "cli/gpus/view.h"

namespace sonde::gpus {
namespace {

using device::SmiFormat;
using device::ValueRow;

constexpr auto kFormatWords = std::to_array<std::string_view>({"csv", "noheader", "nounits"});

/// Parts between commas, without blanks around them.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

Status read_format(std::string_view format, Query& query) {
  for (const std::string_view word : parts_of(format)) {
    if (word == "noheader") query.header = false;
    if (word == "nounits") query.units = false;
    if (std::ranges::find(kFormatWords, word) == kFormatWords.end()) {
      return fail("--format: unknown part '{}'{}; use csv, noheader and nounits", word,
                  did_you_mean(word, kFormatWords));
    }
  }
  return {};
}

/// In nvidia-smi's words where it has some.
std::string_view failure_text(device::FailureKind kind) {
  switch (kind) {
    case device::FailureKind::lost: return "[GPU is lost]";
    case device::FailureKind::not_answering: return "[Not Answering]";
    case device::FailureKind::reset_required: return "[GPU requires reset]";
    case device::FailureKind::refused: return "[Insufficient Permissions]";
    default: return "[Unknown Error]";
  }
}

std::string cell(const Query& query, const ValueRow& row, const device::GpuState& state, const View& view) {
  if (row.format == SmiFormat::timestamp) return device::smi_timestamp(view.moment_ns, view.utc_offset_s);
  const bool changes = row.group != device::identity || row.get == nullptr || !row.get(state.reading);
  if (state.failure && changes) return std::string(failure_text(state.failure->kind));
  return device::field_text(row, state.reading, query.units);
}

}  // namespace

Result<Query> parse_query(std::string_view fields, std::string_view format) {
  Query query;
  SONDE_TRY(read_format(format, query));
  for (const std::string_view name : parts_of(fields)) {
    const auto row = device::find_field(name);
    if (!row) return std::unexpected(row.error());
    query.fields.push_back(*row);
    query.groups |= (*row)->group;
  }
  return query;
}

std::string query_header(const Query& query) {
  std::string line;
  for (const ValueRow* row : query.fields) {
    line += (line.empty() ? "" : ", ") + device::field_header(*row, query.units);
  }
  return line + "\n";
}

std::string query_lines(const Query& query, const View& view) {
  std::string text;
  for (const device::GpuState& state : view.states) {
    std::string line;
    for (const ValueRow* row : query.fields)
      line += (row == query.fields.front() ? "" : ", ") + cell(query, *row, state, view);
    text += line + "\n";
  }
  return text;
}

std::string query_help() {
  std::string text = "Fields of --query-gpu, by the names of nvidia-smi (its older names are accepted too):\n";
  for (const ValueRow& row : device::value_rows()) {
    if (row.smi.empty()) continue;
    const bool is_read = row.get != nullptr || row.format == SmiFormat::timestamp;
    text += fmt::format("\n\"{}\"\n{}{}\n", row.smi, row.description, is_read ? "" : "; always absent here");
  }
  return text;
}

}  // namespace sonde::gpus
