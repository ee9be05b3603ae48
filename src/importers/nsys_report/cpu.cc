#include "importers/nsys_report/part.h"

/// Bodies of what happened on the host beside calls: context switches, samples, processes, and the tool's own words.
namespace sonde::nsys {

Frame read_frame(Message m) {
  Frame f;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): f.symbol = string_id(integer_of(m)); break;
      case number_field(2): f.module = string_id(integer_of(m)); break;
      case number_field(4): f.kernel_mode = fit(integer_of(m), uint8_t{0}); break;
      case number_field(8): f.address = integer_of(m); break;
      default: m.skip();
    }
  }
  return f;
}

uint32_t add_chain(CallChains& chains, std::span<const Frame> frames) {
  if (frames.empty()) return kNone;
  for (const Frame& f : frames) {
    chains.symbol.push_back(f.symbol);
    chains.module.push_back(f.module);
    chains.address.push_back(f.address);
    chains.kernel_mode.push_back(f.kernel_mode);
  }
  chains.first.push_back(static_cast<uint32_t>(chains.symbol.size()));
  return static_cast<uint32_t>(chains.size() - 1);
}

void read_switch(Message m, const ReportWants& wants, ReportPart& part) {
  ++part.counted(ReportTable::switches);
  if (!wants.switches) return;
  int64_t start = 0, cpu = kUnknown, in = kUnknown, state = kUnknown;
  uint64_t thread = 0;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): start = integer_of(m); break;
      case number_field(3): cpu = integer_of(m); break;
      case number_field(4): in = integer_of(m); break;
      case number_field(5): state = integer_of(m); break;
      case number_field(6): thread = m.get_uint64(); break;
      default: m.skip();
    }
  }
  Switches& s = part.switches.rows;
  s.start.push_back(start);
  s.thread.push_back(part.switches.threads.id(thread));
  s.cpu.push_back(fit(cpu, kUnknown32));
  s.in.push_back(fit(in, uint8_t{0}));
  s.state.push_back(fit(state, uint8_t{255}));
  s.block.push_back(uint8_t{255});
}

namespace {

/// The count of cycles in a sample's list of counters: {1 event type, 2 value}, type 1 of ENUM_NSYS_EVENT_TYPE.
int64_t cycles_of(Message m) {
  int64_t type = 0, value = kUnknown;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): type = integer_of(m); break;
      case number_field(2): value = integer_of(m); break;
      default: m.skip();
    }
  }
  return type == 1 ? value : kUnknown;
}

}  // namespace

void read_sample(Message m, const ReportWants& wants, ReportPart& part) {
  if (!wants.samples && !wants.inventory) return;
  static thread_local std::vector<Frame> frames;
  frames.clear();
  int64_t start = 0, cpu = kUnknown, state = kUnknown, cycles = kUnknown;
  uint64_t thread = 0;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): start = integer_of(m); break;
      case number_field(3): cpu = integer_of(m); break;
      case bytes_field(4): frames.push_back(read_frame(m.get_message())); break;
      case bytes_field(5): cycles = cycles_of(m.get_message()); break;
      case number_field(6): state = integer_of(m); break;
      case number_field(11): thread = m.get_uint64(); break;
      default: m.skip();
    }
  }
  ++part.counted(ReportTable::samples);
  part.counted(ReportTable::sample_frames) += static_cast<int64_t>(frames.size());
  if (!wants.samples) return;
  Samples& s = part.samples.rows;
  s.start.push_back(start);
  s.thread.push_back(part.samples.threads.id(thread));
  s.cpu.push_back(fit(cpu, kUnknown32));
  s.state.push_back(fit(state, uint8_t{0}));
  s.cycles.push_back(cycles);
  if (wants.chains) s.chain.push_back(add_chain(part.samples.chains, frames));
}

void read_diagnostic(Message m, const ReportWants& wants, ReportPart& part) {
  ++part.counted(ReportTable::diagnostics);
  if (!wants.diagnostics) return;
  int64_t start = 0, severity = kUnknown;
  std::string_view text;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes_field(1): {
        Message time = m.get_message();
        if (time.next(1, protozero::pbf_wire_type::varint)) start = integer_of(time);
        break;
      }
      case number_field(3): severity = integer_of(m); break;
      case bytes_field(4): text = text_of(m); break;
      default: m.skip();
    }
  }
  Diagnostics& d = part.diagnostics.rows;
  d.start.push_back(start);
  d.severity.push_back(fit(severity, kUnknown32));
  d.text.push_back(part.diagnostics.texts.intern(text) | kInlineText);
}

void read_process(Message m, ReportPart& part) {
  uint64_t process = 0;
  std::string_view command;
  std::string_view name;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(2): process = m.get_uint64(); break;
      case bytes_field(5): command = command.empty() ? text_of(m) : (m.skip(), command); break;
      case bytes_field(6): name = text_of(m); break;
      default: m.skip();
    }
  }
  // The kernel's name of a process; the one that the tool launched has only the command it was launched by.
  if (name.empty()) name = command;
  if (name.empty()) return;
  part.processes.push_back({process, std::string(name)});
  ++part.counted(ReportTable::processes);
}

}  // namespace sonde::nsys
