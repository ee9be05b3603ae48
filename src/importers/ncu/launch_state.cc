#include <bit>
#include <utility>

#include "base/files/protobuf.h"
#include "importers/ncu/messages.h"

namespace sonde::ncu {
namespace {

struct Domain {
  NameId name = kNone;
  boost::unordered_flat_map<uint64_t, NameId> strings;  ///< registered ones by their handle
};

/// { 1: id, 2: name, 3: repeated { 1: handle, 2: text } }.
std::pair<uint64_t, Domain> domain_of(std::string_view message, const Report& report) {
  uint64_t id = 0;
  Domain domain;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) id = field.integer();
    if (field.number() == 2) domain.name = report.intern(field.bytes());
    if (field.number() != 3) return;
    uint64_t handle = 0;
    NameId text = kNone;
    each_field(field.bytes(), [&](const WireField& part) {
      if (part.number() == 1) handle = part.integer();
      if (part.number() == 2) text = report.intern(part.bytes());
    });
    domain.strings[handle] = text;
  });
  return {id, std::move(domain)};
}

/// { 1: type, 2: colour }; the only type is ARGB.
void read_color(std::string_view message, OpenRange& range) {
  constexpr uint64_t kArgb = 1;
  uint64_t type = 0;
  uint32_t color = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) type = field.integer();
    if (field.number() == 2) color = field.small();
  });
  if (type == kArgb) range.color = color;
}

int64_t payload_bits(PayloadKind kind, const WireField& field) {
  switch (kind) {
    case PayloadKind::real64: return std::bit_cast<int64_t>(field.real());
    case PayloadKind::real32: return std::bit_cast<int32_t>(static_cast<float>(field.real()));
    default: return field.signed_integer();
  }
}

/// { 1: type, 2 to 7: a value of each type }; types are numbered as nvtxPayloadType_t and PayloadKind are.
void read_payload(std::string_view message, OpenRange& range) {
  uint64_t type = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) type = field.integer();
  });
  if (type > static_cast<uint64_t>(PayloadKind::real32)) return;
  const auto kind = static_cast<PayloadKind>(type);
  each_field(message, [&](const WireField& field) {
    if (kind == PayloadKind::none || field.number() != type + 1) return;
    range.payload_kind = kind;
    range.payload = payload_bits(kind, field);
  });
}

/// { 1: type, 2: text, 3: handle of a registered string }.
void read_message(std::string_view message, const Domain& domain, const Report& report, OpenRange& range) {
  each_field(message, [&](const WireField& field) {
    if (field.number() == 2) range.message = report.intern(field.bytes());
    if (field.number() != 3 || range.message != kNone) return;
    const auto found = domain.strings.find(field.integer());
    if (found != domain.strings.end()) range.message = found->second;
  });
}

/// { 1: version, 2: category, 3: colour, 4: payload, 5: message }. Category 0 is none.
void read_attributes(std::string_view message, const Domain& domain, const Report& report, OpenRange& range) {
  each_field(message, [&](const WireField& field) {
    if (field.number() == 2 && field.small() != 0) range.category = field.small();
    if (field.number() == 3) read_color(field.bytes(), range);
    if (field.number() == 4) read_payload(field.bytes(), range);
    if (field.number() == 5) read_message(field.bytes(), domain, report, range);
  });
}

/// What an NVTX state says: domains first, since ranges name them by id.
class LaunchRanges {
 public:
  LaunchRanges(std::string_view state, const Report& report) : report_(report) {
    each_field(state, [&](const WireField& field) {
      if (field.number() == 1) domains_.insert(domain_of(field.bytes(), report_));
    });
    each_field(state, [&](const WireField& field) {
      if (field.number() == 2) read_thread(field.bytes());
      if (field.number() == 3) read_start_end(field.bytes());
    });
  }
  [[nodiscard]] std::vector<OpenRange> take() { return std::move(ranges_); }

 private:
  /// { 1: thread id, 2: repeated stack }.
  void read_thread(std::string_view message) {
    uint64_t thread = 0;
    each_field(message, [&](const WireField& field) {
      if (field.number() == 1) thread = field.integer();
    });
    each_field(message, [&](const WireField& field) {
      if (field.number() == 2) read_stack(field.bytes(), thread);
    });
  }

  /// The open push/pop ranges of one thread in one domain: { 1: domain, 3: repeated { 1: name, 2: attributes } }.
  void read_stack(std::string_view message, uint64_t thread) {
    const Domain& domain = domain_in(message);
    each_field(message, [&](const WireField& field) {
      if (field.number() != 3) return;
      OpenRange range;
      range.domain = domain.name;
      range.thread = thread;
      each_field(field.bytes(), [&](const WireField& part) {
        if (part.number() == 1) range.name = report_.intern(part.bytes());
        if (part.number() == 2) read_attributes(part.bytes(), domain, report_, range);
      });
      add(range);
    });
  }

  /// The open start/end ranges of one domain: { 1: domain, 3: repeated { 2: name, 3: attributes, 5: thread that started
  /// it } }.
  void read_start_end(std::string_view message) {
    const Domain& domain = domain_in(message);
    each_field(message, [&](const WireField& field) {
      if (field.number() != 3) return;
      OpenRange range;
      range.domain = domain.name;
      range.style = RangeStyle::start_end;
      each_field(field.bytes(), [&](const WireField& part) {
        if (part.number() == 2) range.name = report_.intern(part.bytes());
        if (part.number() == 3) read_attributes(part.bytes(), domain, report_, range);
        if (part.number() == 5) range.thread = part.integer();
      });
      add(range);
    });
  }

  void add(OpenRange range) {
    if (range.name == kNone) range.name = range.message;
    ranges_.push_back(range);
  }

  [[nodiscard]] const Domain& domain_in(std::string_view message) const {
    uint64_t id = 0;
    each_field(message, [&](const WireField& field) {
      if (field.number() == 1) id = field.integer();
    });
    const auto found = domains_.find(id);
    return found == domains_.end() ? unknown_ : found->second;
  }

  const Report& report_;
  boost::unordered_flat_map<uint64_t, Domain> domains_;
  const Domain unknown_{};  ///< of ranges whose domain the state does not have
  std::vector<OpenRange> ranges_;
};

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
  return LaunchRanges(message, report).take();
}

std::vector<HostFrame> call_stack_of(std::string_view message, const Report& report) {
  std::vector<HostFrame> frames;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) frames.push_back(frame_of(field.bytes(), report));
  });
  return frames;
}

}  // namespace sonde::ncu
