#include "base/protobuf.h"
#include "importers/ncu_messages.h"

namespace sonde::ncu {
namespace {

using Domains = boost::unordered_flat_map<uint64_t, NameId>;

void read_domain(std::string_view message, Domains& domains, const Report& report) {
  uint64_t id = 0;
  NameId name = kNone;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) id = field.integer();
    if (field.number() == 2) name = report.intern(field.bytes());
  });
  domains[id] = name;
}

Domains domains_of(std::string_view state, const Report& report) {
  Domains domains;
  each_field(state, [&](const WireField& field) {
    if (field.number() == 1) read_domain(field.bytes(), domains, report);
  });
  return domains;
}

NameId domain_name(const Domains& domains, uint64_t id) {
  const auto found = domains.find(id);
  return found == domains.end() ? kNone : found->second;
}

/// The open push/pop ranges of one thread in one domain: { 1: domain, 3: repeated { 1: name } }.
void read_stack(std::string_view message, uint64_t thread, const Domains& domains, const Report& report,
                std::vector<OpenRange>& ranges) {
  const size_t first = ranges.size();
  uint64_t domain = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) domain = field.integer();
    if (field.number() != 3) return;
    OpenRange range{.thread = thread, .style = RangeStyle::push_pop};
    each_field(field.bytes(), [&](const WireField& part) {
      if (part.number() == 1) range.name = report.intern(part.bytes());
    });
    ranges.push_back(range);
  });
  for (size_t i = first; i < ranges.size(); ++i) ranges[i].domain = domain_name(domains, domain);
}

/// { 1: thread id, 2: repeated stack }.
void read_thread(std::string_view message, const Domains& domains, const Report& report,
                 std::vector<OpenRange>& ranges) {
  uint64_t thread = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) thread = field.integer();
  });
  each_field(message, [&](const WireField& field) {
    if (field.number() == 2) read_stack(field.bytes(), thread, domains, report, ranges);
  });
}

/// The open start/end ranges of one domain: { 1: domain, 3: repeated { 2: name, 5: thread that started it } }.
void read_start_end(std::string_view message, const Domains& domains, const Report& report,
                    std::vector<OpenRange>& ranges) {
  const size_t first = ranges.size();
  uint64_t domain = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) domain = field.integer();
    if (field.number() != 3) return;
    OpenRange range{.style = RangeStyle::start_end};
    each_field(field.bytes(), [&](const WireField& part) {
      if (part.number() == 2) range.name = report.intern(part.bytes());
      if (part.number() == 5) range.thread = part.integer();
    });
    ranges.push_back(range);
  });
  for (size_t i = first; i < ranges.size(); ++i) ranges[i].domain = domain_name(domains, domain);
}

HostFrame frame_of(std::string_view message, const Report& report) {
  HostFrame frame;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) frame.module = report.intern(field.bytes());
    if (field.number() == 2) frame.address = field.integer();
    if (field.number() == 3) frame.file = report.intern(field.bytes());
    if (field.number() == 4) frame.function = report.intern(field.bytes());
    if (field.number() == 5) frame.line = field.integer();
  });
  return frame;
}

}  // namespace

std::vector<OpenRange> ranges_of(std::string_view message, const Report& report) {
  const Domains domains = domains_of(message, report);
  std::vector<OpenRange> ranges;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 2) read_thread(field.bytes(), domains, report, ranges);
    if (field.number() == 3) read_start_end(field.bytes(), domains, report, ranges);
  });
  return ranges;
}

std::vector<HostFrame> call_stack_of(std::string_view message, const Report& report) {
  std::vector<HostFrame> frames;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) frames.push_back(frame_of(field.bytes(), report));
  });
  return frames;
}

}  // namespace sonde::ncu
