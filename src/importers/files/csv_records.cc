#include "importers/files/csv_records.h"

#include <algorithm>

namespace sonde {

void CsvRecords::skip_line() {
  const size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
}

bool CsvRecords::find_record() {
  while (at_ < text_.size() && text_[at_] != '"') skip_line();
  return at_ < text_.size();
}

CsvRecords::End CsvRecords::behind_field(size_t& at) const {
  if (at < text_.size() && text_[at] == '\r') ++at;
  if (at == text_.size()) return End::record;
  const char c = text_[at++];
  if (c == ',') return End::field;
  return c == '\n' ? End::record : End::bad;
}

CsvRecords::End CsvRecords::read_quoted(size_t& at, std::string& field) const {
  for (;;) {
    const size_t quote = text_.find('"', at);
    if (quote == std::string_view::npos) return End::text;
    field += text_.substr(at, quote - at);
    at = quote + 1;
    if (at == text_.size() || text_[at] != '"') return behind_field(at);
    field += '"';
    ++at;
  }
}

CsvRecords::End CsvRecords::read_field(size_t& at, std::string& field) const {
  field.clear();
  if (at < text_.size() && text_[at] == '"') return read_quoted(++at, field);
  const size_t end = std::min(text_.find_first_of(",\r\n", at), text_.size());
  field = text_.substr(at, end - at);
  at = end;
  return behind_field(at);
}

bool CsvRecords::next(std::vector<std::string>& fields) {
  while (find_record()) {
    size_t at = at_;
    size_t count = 0;
    End end = End::field;
    while (end == End::field) {
      if (count == fields.size()) fields.emplace_back();
      end = read_field(at, fields[count++]);
    }
    fields.resize(count);
    if (end == End::record) {
      at_ = at;
      return true;
    }
    const size_t line = text_.find('\n', at_);
    truncated_ = end == End::text && (line == std::string_view::npos || line + 1 == text_.size());
    if (!truncated_) ++malformed_;
    skip_line();
  }
  return false;
}

}  // namespace sonde
