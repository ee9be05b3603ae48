#include <charconv>
#include <map>
#include <optional>

#include "importers/nsys/rules.h"
#include "importers/nsys_report/entities.h"

/// What a report is, when and how it was recorded.
namespace sonde::nsys {
namespace {

/// A decimal number of 64 bits, signed or not, as the same bits.
uint64_t decimal_bits(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return negative ? 0 - value : value;
}

/// (from clock, to clock) -> what is added.
using Offsets = std::map<std::pair<int64_t, int64_t>, uint64_t>;

Offsets read_offsets(std::string_view session) {
  Offsets offsets;
  each_message(message_of(session), 16, [&](const Message& clocks) {
    each_message(clocks, 1, [&](Message m) {
      std::pair<int64_t, int64_t> between;
      std::string_view offset;
      while (m.next()) {
        switch (m.tag_and_type()) {
          case number_field(1): between.first = integer_of(m); break;
          case number_field(2): between.second = integer_of(m); break;
          case bytes_field(5): offset = text_of(m); break;
          default: m.skip();
        }
      }
      offsets[between] = decimal_bits(offset);
    });
  });
  return offsets;
}

/// What local time is ahead of UTC: clock 10 is local time, and what is added to it gives UTC.
std::optional<int64_t> offset_from_utc(const Offsets& offsets) {
  constexpr int64_t kNsPerS = 1'000'000'000;
  const auto found = offsets.find({9, 10});
  return found == offsets.end() ? std::nullopt : time_zone(static_cast<int64_t>(0 - found->second) / kNsPerS);
}

/// UTC of time 0 from the offsets between clocks (until 2025.5): 9 is UTC, 7 the report's time, 1 and 3 those of the
/// machine. All sums are modulo 2^64.
std::optional<int64_t> utc_from_offsets(const Offsets& offsets) {
  const auto offset = [&](int64_t from, int64_t to) {
    const auto found = offsets.find({from, to});
    return found == offsets.end() ? 0 : found->second;
  };
  if (!offsets.contains({3, 9})) return std::nullopt;
  return static_cast<int64_t>(0 - offset(3, 9) - offset(1, 3) - offset(7, 1));
}

/// A moment as a clock and the clock it was derived from show it.
struct ClockPair {
  std::string_view clock, parent;
  uint64_t own_ns = 0, parent_ns = 0;
};

ClockPair read_clock_pair(Message m) {
  ClockPair pair;
  const auto read_moment = [&](Message moment) {
    while (moment.next()) {
      switch (moment.tag_and_type()) {
        case number_field(1): pair.own_ns = moment.get_uint64(); break;
        case number_field(2): pair.parent_ns = moment.get_uint64(); break;
        default: moment.skip();
      }
    }
  };
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes_field(1): pair.clock = text_of(m); break;
      case bytes_field(2): pair.parent = text_of(m); break;
      case bytes_field(3): each_message(m.get_message(), 1, read_moment); break;
      default: m.skip();
    }
  }
  return pair;
}

/// UTC of time 0 from the section of clocks (from 2025.6 on): kind 11 is UTC, kind 15 the report's time.
std::optional<int64_t> utc_from_clocks(std::string_view section) {
  std::map<std::string_view, int64_t> kinds;
  std::map<int64_t, ClockPair> pairs;
  Message top = message_of(section);
  while (top.next()) {
    if (top.tag_and_type() == bytes_field(1)) {
      each_message(top.get_message(), 1, [&](Message m) {
        std::string_view clock;
        while (m.next()) {
          switch (m.tag_and_type()) {
            case bytes_field(1): clock = text_of(m); break;
            case number_field(2): kinds[clock] = integer_of(m); break;
            default: m.skip();
          }
        }
      });
    } else if (top.tag_and_type() == bytes_field(2)) {
      each_message(top.get_message(), 1, [&](const Message& m) {
        const ClockPair pair = read_clock_pair(m);
        const auto kind = kinds.find(pair.clock);
        if (kind != kinds.end()) pairs[kind->second] = pair;
      });
    } else {
      top.skip();
    }
  }
  if (!pairs.contains(11) || !pairs.contains(15)) return std::nullopt;
  return static_cast<int64_t>(pairs[11].own_ns + pairs[15].own_ns - pairs[11].parent_ns);
}

struct Property {
  int64_t number;
  std::string_view name;
};

constexpr auto kProperties = std::to_array<Property>({
#define SONDE_SYSTEM_PROPERTY(number, name) {number, name},
#include "importers/nsys/system_properties.inc"
#undef SONDE_SYSTEM_PROPERTY
});

std::string name_of_property(int64_t number) {
  for (const Property& p : kProperties) {
    if (p.number == number) return std::string(p.name);
  }
  return fmt::format("property {}", number);
}

void read_property(Message m, Rank& rank) {
  int64_t number = 0;
  std::string_view value;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): number = integer_of(m); break;
      case bytes_field(2): value = text_of(m); break;
      default: m.skip();
    }
  }
  rank.capture.emplace_back(name_of_property(number), value);
}

/// The machine's properties, and the command line of the recording tool.
void read_capture(const ReportLayout& layout, Rank& rank) {
  Message about = message_of(layout.about);
  while (about.next()) {
    if (about.tag_and_type() == bytes_field(25)) {
      rank.capture.emplace_back("COMMAND_LINE", text_of(about));
    } else {
      about.skip();
    }
  }
  each_message(message_of(layout.session), 1, [&](const Message& machine) {
    each_message(machine, 2, [&](const Message& properties) {
      each_message(properties, 1, [&](const Message& m) { read_property(m, rank); });
    });
  });
}

/// 2022.2.1.31 of "2022.2.1.31-5fe97ab"; the banner has no version before 2023.
std::string read_version(const ReportLayout& layout) {
  std::string_view version = layout.version;
  Message about = message_of(layout.about);
  while (about.next()) {
    if (about.tag_and_type() == bytes_field(6)) {
      version = text_of(about);
    } else {
      about.skip();
    }
  }
  return std::string(version.substr(0, version.find('-')));
}

void read_times(const ReportLayout& layout, Rank& rank) {
  const Offsets offsets = read_offsets(layout.session);
  rank.utc_ns = utc_from_offsets(offsets);
  rank.utc_offset_s = offset_from_utc(offsets);
  if (!rank.utc_ns) rank.utc_ns = utc_from_clocks(layout.clocks);
  std::optional<uint64_t> start, stop;
  Message session = message_of(layout.session);
  while (session.next()) {
    switch (session.tag_and_type()) {
      case number_field(17): start = session.get_uint64(); break;
      case number_field(18): stop = session.get_uint64(); break;
      default: session.skip();
    }
  }
  rank.capture_start_ns = 0;
  if (!start || !stop) return;
  rank.capture_end_ns = static_cast<int64_t>(*stop - *start);
  rank.capture_clock_ns = static_cast<int64_t>(*start);
}

}  // namespace

void read_report_source(NsysRun& run, const ReportLayout& layout) {
  Rank& rank = run.trace().ranks[run.rank()];
  rank.product = "NVIDIA Nsight Systems";
  rank.product_version = read_version(layout);
  read_times(layout, rank);
  if (run.wants(Field::capture)) read_capture(layout, rank);
}

}  // namespace sonde::nsys
