#include "record/nvtx/payload_schemas.h"

#include "base/text/utf8.h"
#include "wire/payload_record.h"
#include "wire/whole_body.h"

namespace sonde::record {
namespace {

/// A process, its parent, its parent's parent...
constexpr int kMaxGenerations = 16;

PayloadEntry entry_of(const wire::PayloadEntryBody& body, std::string_view text) {
  return {.name = valid_utf8(text.substr(0, body.name_bytes)),
          .description = valid_utf8(text.substr(body.name_bytes)),
          .type = body.type,
          .flags = body.flags,
          .detail = body.detail,
          .offset = body.offset};
}

PayloadSchema schema_of(const wire::PayloadSchemaBody& body, std::string_view name) {
  return {.domain = 0,
          .id = body.schema,
          .is_enum = body.is_enum != 0,
          .name = valid_utf8(name),
          .type = body.type,
          .flags = body.flags,
          .bytes = body.bytes,
          .align = body.align,
          .entries = {}};
}

}  // namespace

void PayloadSchemas::add(const wire::Record& record, uint32_t image) {
  if (record.head.kind == wire::Kind::payload_schema) {
    wire::PayloadSchemaBody body{};
    if (wire::take(record.body, body)) all_[{image, record.head.domain, body.schema}] = schema_of(body, record.text);
  }
  if (record.head.kind != wire::Kind::payload_entry) return;
  wire::PayloadEntryBody body{};
  if (!wire::take(record.body, body)) return;
  const auto found = all_.find({image, record.head.domain, body.schema});
  // An entry whose place does not follow is behind one that was lost: places are then not to be known.
  if (found == all_.end() || found->second.entries.size() != body.index) return;
  found->second.entries.push_back(entry_of(body, record.text));
}

const PayloadSchema* PayloadSchemas::find(uint32_t image, uint16_t domain, uint64_t schema) const {
  for (int generation = 0; generation < kMaxGenerations && image < images_.all().size(); ++generation) {
    if (const auto found = all_.find({image, domain, schema}); found != all_.end()) return &found->second;
    const Image& child = images_.all()[image];
    if (child.parent == 0) return nullptr;
    image = images_.at(child.parent, child.since);
    if (image < images_.all().size() && images_.all()[image].process != child.parent) return nullptr;
  }
  return nullptr;
}

}  // namespace sonde::record
