#include "nsys_report_writer.h"

#include <lz4.h>

#include <algorithm>
#include <functional>

#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include "importers/nsys_report/container.h"
#include "trace/columns.h"

namespace sonde::test {
namespace {

using Writer = protozero::pbf_writer;

void put(Writer& w, uint32_t tag, int64_t value) { w.add_uint64(tag, static_cast<uint64_t>(value)); }
void put_known(Writer& w, uint32_t tag, int64_t value) {
  if (value != kUnknown && value != kUnknown32) put(w, tag, value);
}
int64_t known_or(int64_t value, int64_t otherwise) { return value == kUnknown ? otherwise : value; }
void put_name(Writer& w, uint32_t tag, NameId name) {
  if (name != kNone) w.add_uint64(tag, name);
}

template <typename T>
int64_t at(const std::vector<T>& column, size_t row) {
  if (column.empty() || column[row] == absent_value<T>()) return kUnknown;
  return static_cast<int64_t>(column[row]);
}

void add_varint(std::string& out, uint64_t value) { protozero::add_varint_to_buffer(&out, value); }

std::string with_length(std::string_view message) {
  std::string out;
  add_varint(out, message.size());
  return out.append(message);
}

std::string packed_block(std::string_view message) {
  const std::string plain = with_length(message);
  std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(plain.size()))), '\0');
  packed.resize(static_cast<size_t>(LZ4_compress_default(plain.data(), packed.data(), static_cast<int>(plain.size()),
                                                         static_cast<int>(packed.size()))));
  std::string out;
  add_varint(out, packed.size());
  add_varint(out, plain.size());
  return out + packed;
}

std::string counts_of(const PlainReport& r) {
  std::string counts;
  Writer w(counts);
  w.add_uint64(1, r.events);
  w.add_uint64(3, r.texts);
  w.add_uint64(5, r.named_threads);
  w.add_string(9, r.codec);
  return counts;
}

/// The events of a trace on their way into blocks.
class EventWriter {
 public:
  EventWriter(const Trace& trace, size_t block_bytes) : t_(trace), block_bytes_(block_bytes) {}

  void write(PlainReport& out) {
    collect();
    std::ranges::stable_sort(events_, {}, &Event::start);
    std::string block;
    for (const Event& e : events_) {
      Writer w(block);
      write_event(w, e);
      if (block.size() >= block_bytes_) out.blocks.push_back(std::exchange(block, {}));
    }
    if (!block.empty()) out.blocks.push_back(std::move(block));
    out.events = events_.size();
  }

 private:
  enum class Kind : uint8_t {
    process,
    domain,
    kernel,
    copy,
    set,
    sync,
    call,
    os_call,
    overhead,
    range,
    mark,
    change,
    sample
  };
  struct Event {
    int64_t start;
    Row row;
    Kind kind;
  };

  void collect() {
    for (Row i = 0; i < t_.processes.size(); ++i) events_.push_back({kUnknown, i, Kind::process});
    for (Row i = 0; i < t_.domains.size(); ++i) events_.push_back({kUnknown, i, Kind::domain});
    const auto all = [&](const auto& table, Kind kind) {
      for (Row i = 0; i < row_count(table); ++i) events_.push_back({table.start[i], i, kind});
    };
    all(t_.kernels, Kind::kernel);
    all(t_.copies, Kind::copy);
    all(t_.sets, Kind::set);
    all(t_.syncs, Kind::sync);
    all(t_.api, Kind::call);
    all(t_.os_calls, Kind::os_call);
    all(t_.overheads, Kind::overhead);
    all(t_.ranges, Kind::range);
    all(t_.marks, Kind::mark);
    all(t_.switches, Kind::change);
    all(t_.samples, Kind::sample);
  }

  void write_event(Writer& block, const Event& e) const {
    Writer w(block, 1);
    switch (e.kind) {
      case Kind::process: return write_process(w, e.row);
      case Kind::domain: return write_domain(w, static_cast<DomainId>(e.row));
      case Kind::kernel: return write_kernel(w, e.row);
      case Kind::copy: return write_copy(w, e.row);
      case Kind::set: return write_set(w, e.row);
      case Kind::sync: return write_sync(w, e.row);
      case Kind::call: return write_call(w, t_.api, e.row);
      case Kind::os_call: return write_call(w, t_.os_calls, e.row);
      case Kind::overhead: return write_call(w, t_.overheads, e.row);
      case Kind::range: return write_range(w, e.row);
      case Kind::mark: return write_mark(w, e.row);
      case Kind::change: return write_switch(w, e.row);
      case Kind::sample: return write_sample(w, e.row);
    }
  }

  [[nodiscard]] uint64_t tid(ThreadId thread) const { return thread == kNone ? 0 : t_.threads[thread].global_id; }

  void write_process(Writer& w, Row row) const {
    const Process& p = t_.processes[row];
    put(w, 1, 27);
    Writer body(w, 113);
    put(body, 1, 0);
    body.add_uint64(2, p.global_id);
    const std::string_view name = t_.name(p.name);
    if (!name.empty()) body.add_string(6, name.data(), name.size());
    put(body, 12, 1);
  }

  void write_operation(Writer& body, const GpuOps& ops, Row row, int64_t kind) const {
    const Stream& s = t_.streams[ops.stream[row]];
    put(body, 1, ops.start[row]);
    put(body, 2, ops.end[row]);
    put_known(body, 3, at(ops.correlation, row));
    put(body, 4, s.ordinal);
    put(body, 5, s.context);
    put(body, 6, s.stream);
    put(body, 7, kind);
    body.add_uint64(8, t_.processes[s.process].global_id);
    if (s.green_context != kNone) put(body, 9, s.green_context);
  }

  static void write_dim3(Writer& w, uint32_t tag, const std::vector<Dim3>& column, Row row) {
    for (uint32_t i = 0; i < 3 && !column.empty(); ++i) put(w, tag + i, column[row][i]);
  }

  void write_kernel(Writer& w, Row row) const {
    const Kernels& k = t_.kernels;
    put(w, 1, 79);
    Writer body(w, 107);
    write_operation(body, k, row, 3);
    Writer d(body, 101);
    put_name(d, 1, k.name[row]);
    if (!k.short_name.empty()) put_name(d, 2, k.short_name[row]);
    if (!k.mangled_name.empty()) put_name(d, 3, k.mangled_name[row]);
    write_dim3(d, 10, k.grid, row);
    write_dim3(d, 13, k.block, row);
    put_known(d, 16, at(k.static_shared_bytes, row));
    put_known(d, 17, at(k.dynamic_shared_bytes, row));
    put_known(d, 18, at(k.local_bytes_per_thread, row));
    put_known(d, 19, at(k.local_bytes_total, row));
    put(d, 20, known_or(at(k.grid_id, row), row));
    put_known(d, 21, at(k.registers, row));
    put_known(d, 22, at(k.shared_bytes_executed, row));
    put(d, 23, known_or(at(k.cache_config, row), 1));
    put_known(d, 24, at(k.launch_type, row));
    put_known(d, 27, at(k.graph_node, row));
    put_known(d, 28, at(k.shared_limit_config, row));
    write_dim3(d, 31, k.cluster, row);
  }

  void write_copy(Writer& w, Row row) const {
    const Copies& c = t_.copies;
    put(w, 1, 80);
    Writer body(w, 107);
    write_operation(body, c, row, 1);
    Writer d(body, 102);
    put_known(d, 1, at(c.bytes, row));
    put(d, 2, c.kind[row]);
    put_known(d, 4, at(c.source, row));
    put_known(d, 5, at(c.destination, row));
    put_known(d, 10, at(c.migration_cause, row));
    put_known(d, 12, at(c.address, row));
  }

  void write_set(Writer& w, Row row) const {
    const Sets& s = t_.sets;
    put(w, 1, 80);
    Writer body(w, 107);
    write_operation(body, s, row, 2);
    Writer d(body, 103);
    put_known(d, 1, at(s.bytes, row));
    put_known(d, 2, at(s.value, row));
    put_known(d, 4, at(s.memory, row));
  }

  void write_sync(Writer& w, Row row) const {
    const Syncs& s = t_.syncs;
    put(w, 1, 106);
    Writer body(w, 107);
    write_operation(body, s, row, 5);
    Writer d(body, 105);
    put(d, 1, s.event[row]);
    put_known(d, 4, at(s.raw_type, row));
  }

  static int64_t class_of(uint8_t call_class) {
    switch (static_cast<CallClass>(call_class)) {
      case CallClass::runtime: return 0;
      case CallClass::driver: return 1;
      case CallClass::os: return 27;
      case CallClass::syscall: return 107;
      default: return 3;
    }
  }

  void write_frames(Writer& body, uint32_t tag, const Ids& chain, Row row) const {
    if (chain.empty() || chain[row] == kNone) return;
    const CallChains& c = t_.chains;
    for (uint32_t i = c.first[chain[row]]; i < c.first[chain[row] + 1]; ++i) {
      Writer frame(body, tag);
      put_name(frame, 1, c.symbol[i]);
      put_name(frame, 2, c.module[i]);
      put(frame, 4, c.kernel_mode[i]);
      put_known(frame, 8, c.address[i]);
    }
  }

  void write_call(Writer& w, const Calls& c, Row row) const {
    put(w, 1, 48);
    Writer body(w, 108);
    put(body, 1, c.start[row]);
    put(body, 2, c.end[row]);
    put(body, 3, c.correlation.empty() ? 0 : c.correlation[row]);
    put(body, 6, class_of(c.call_class[row]));
    put_name(body, 7, c.name[row]);
    put_known(body, 8, at(c.result, row));
    body.add_uint64(13, tid(c.thread[row]));
    write_frames(body, 15, c.chain, row);
    put_known(body, 20, at(c.nesting, row));
  }

  [[nodiscard]] int64_t number_of(DomainId domain) const {
    return t_.name(t_.domains[domain].name).empty() ? 0 : domain + 1;
  }

  /// A domain is made in each process: reports of one process only are exact.
  void write_domain(Writer& w, DomainId domain) const {
    const std::string_view name = t_.name(t_.domains[domain].name);
    put(w, 1, 75);
    Writer body(w, 102);
    put(body, 1, 75);
    put(body, 2, 0);
    body.add_string(7, name.data(), name.size());
    body.add_uint64(9, t_.threads.empty() ? 0 : t_.threads.front().global_id);
    put(body, 13, number_of(domain));
  }

  void write_range(Writer& w, Row row) const {
    const Ranges& r = t_.ranges;
    const int64_t type = r.style[row] == static_cast<uint8_t>(RangeStyle::start_end) ? 60 : 59;
    put(w, 1, type);
    Writer body(w, 102);
    put(body, 1, type);
    put(body, 2, r.start[row]);
    const std::string_view text = t_.name(r.name[row]);
    body.add_string(7, text.data(), text.size());
    body.add_uint64(9, tid(r.thread[row]));
    put_known(body, 10, r.end[row]);
    put(body, 13, number_of(r.domain[row]));
  }

  void write_mark(Writer& w, Row row) const {
    const Marks& m = t_.marks;
    put(w, 1, 34);
    Writer body(w, 102);
    put(body, 1, 34);
    put(body, 2, m.start[row]);
    body.add_uint64(9, tid(m.thread[row]));
    put_name(body, 12, m.name[row]);
    put(body, 13, number_of(m.domain[row]));
  }

  void write_switch(Writer& w, Row row) const {
    const Switches& s = t_.switches;
    put(w, 1, 41);
    Writer body(w, 106);
    put(body, 1, s.start[row]);
    put_known(body, 3, at(s.cpu, row));
    put(body, 4, s.in[row]);
    put_known(body, 5, at(s.state, row));
    body.add_uint64(6, tid(s.thread[row]));
  }

  void write_sample(Writer& w, Row row) const {
    const Samples& s = t_.samples;
    put(w, 1, 31);
    Writer body(w, 104);
    put(body, 1, s.start[row]);
    put_known(body, 3, at(s.cpu, row));
    write_frames(body, 4, s.chain, row);
    {
      Writer cycles(body, 5);
      put(cycles, 1, 1);
      put_known(cycles, 2, at(s.cycles, row));
    }
    put(body, 6, s.state[row]);
    body.add_uint64(11, tid(s.thread[row]));
  }

  const Trace& t_;
  size_t block_bytes_;
  std::vector<Event> events_;
};

void write_gpus(Writer& machine, const Trace& t) {
  for (const Device& d : t.devices) {
    Writer g(machine, 7);
    put(g, 1, d.id);
    g.add_string(2, d.name);
    g.add_string(3, d.bus);
    g.add_string(5, d.uuid);
    g.add_string(7, d.chip);
    for (const auto& [tag, value] : {std::pair{9U, d.cuda_ordinal},
                                     {10U, d.l2_bytes},
                                     {11U, d.total_memory_bytes},
                                     {12U, d.memory_bandwidth_bytes_per_s},
                                     {13U, d.clock_hz},
                                     {14U, d.sm_count},
                                     {25U, d.max_registers_per_block},
                                     {26U, d.max_shared_bytes_per_block},
                                     {27U, d.max_shared_bytes_per_block_optin},
                                     {28U, d.max_shared_bytes_per_sm},
                                     {29U, d.max_registers_per_sm},
                                     {30U, d.threads_per_warp},
                                     {31U, d.copy_engines},
                                     {32U, d.max_warps_per_sm},
                                     {33U, d.max_blocks_per_sm},
                                     {34U, d.max_threads_per_block},
                                     {41U, d.compute_major},
                                     {42U, d.compute_minor}}) {
      if (value) put(g, tag, *value);
    }
  }
}

std::string target_of(const Trace& t) {
  std::string target;
  Writer w(target);
  {
    Writer vm(w, 1);
    put(vm, 1, int64_t{1} << 48);
    Writer machine(vm, 2);
    write_gpus(machine, t);
  }
  for (const Stream& s : t.streams) {
    if (s.stream == kNone || !s.priority) continue;
    Writer stream(w, 15);
    put(stream, 1, s.stream);
    put(stream, 4, t.processes[s.process].pid);
    put(stream, 5, s.context);
    put(stream, 6, *s.priority);
    put(stream, 7, s.flags.value_or(0));
  }
  for (const Stream& s : t.streams) {
    if (!s.is_default) continue;
    Writer context(w, 14);
    put(context, 1, s.stream);
    put(context, 4, t.processes[s.process].pid);
    put(context, 6, s.context);
  }
  return target;
}

/// UTC of time 0 as an offset between the clocks 3 and 9, and how long the recording took.
std::string session_of(const Trace& t) {
  std::string session;
  Writer w(session);
  if (t.ranks.empty()) return session;
  const Rank& rank = t.ranks.front();
  if (rank.utc_ns) {
    Writer clocks(w, 16);
    Writer offset(clocks, 1);
    put(offset, 1, 3);
    put(offset, 2, 9);
    offset.add_string(5, std::to_string(0 - static_cast<uint64_t>(*rank.utc_ns)));
  }
  if (rank.capture_end_ns) {
    put(w, 17, 0);
    put(w, 18, *rank.capture_end_ns);
  }
  return session;
}

}  // namespace

std::string pack_report(const PlainReport& r, std::vector<size_t>* marks) {
  std::string out = "NVIDIA Tegra Profiler Report " + r.version + ".\n";
  const auto mark = [&] {
    if (marks != nullptr) marks->push_back(out.size());
  };
  const auto add = [&](std::string_view bytes) {
    mark();
    out.append(bytes);
  };
  mark();
  const size_t events_at = out.size();
  out += "QDTEXT00";
  const size_t origin = out.size();
  add(with_length(r.session));
  add(with_length(r.counts.empty() ? counts_of(r) : r.counts));
  for (const std::string& block : r.blocks) add(packed_block(block));
  const size_t strings_at = out.size() - origin;
  add(packed_block(r.strings));
  add(with_length(r.threads));
  add(with_length(r.target));
  for (const std::string& extra : r.extras) add(packed_block(extra));
  if (!r.rest.empty()) add(r.rest);
  const size_t offsets_at = out.size();
  std::string offsets;
  Writer w(offsets);
  w.add_string(1, r.codec);
  w.add_uint64(2, strings_at);
  add(offsets);
  const uint64_t table_at = out.size();
  std::string table;
  for (const auto& [name, begin, end] : {std::tuple{"Raw Sampling Data", events_at, offsets_at},
                                         std::tuple{"Sampling Data Offsets", offsets_at, out.size()}}) {
    Writer all(table);
    Writer entry(all, 1);
    entry.add_string(1, name);
    entry.add_uint64(2, begin);
    entry.add_uint64(3, end - begin);
  }
  add(table);
  mark();
  for (size_t i = 0; i < sizeof(table_at); ++i) out += static_cast<char>(table_at >> (8 * i) & 0xFF);
  return out + "U3w[END]";
}

Result<PlainReport> unpack_report(std::string_view bytes) {
  const auto layout = nsys::read_layout(bytes);
  if (!layout) return std::unexpected(layout.error());
  PlainReport r;
  r.session = layout->session;
  r.events = layout->counts.events;
  r.texts = layout->counts.strings;
  r.named_threads = layout->counts.threads;
  r.threads = layout->threads;
  r.target = layout->target;
  nsys::Unpacker unpacker;
  for (const nsys::PackedBlock& block : layout->blocks) {
    const auto plain = unpacker.unpack(block);
    if (!plain) return std::unexpected(plain.error());
    r.blocks.emplace_back(*plain);
  }
  const auto strings = unpacker.unpack(layout->strings);
  if (!strings) return std::unexpected(strings.error());
  r.strings = *strings;
  for (const nsys::PackedBlock& block : layout->extras) {
    const auto plain = unpacker.unpack(block);
    if (!plain) return std::unexpected(plain.error());
    r.extras.emplace_back(*plain);
  }
  return r;
}

PlainReport plain_report(const Trace& trace, size_t block_bytes) {
  PlainReport r;
  r.session = session_of(trace);
  EventWriter(trace, block_bytes).write(r);
  Writer strings(r.strings);
  for (NameId id = 0; id < trace.names.size(); ++id) {
    const std::string_view text = trace.name(id);
    strings.add_string(1, text.data(), text.size());
  }
  r.texts = trace.names.size();
  Writer threads(r.threads);
  for (const Thread& t : trace.threads) {
    if (t.name == kNone) continue;
    Writer thread(threads, 1);
    put_name(thread, 2, t.name);
    if (t.priority) put(thread, 3, *t.priority);
    thread.add_uint64(4, t.global_id);
    ++r.named_threads;
  }
  r.target = target_of(trace);
  return r;
}

std::string unknown_event(int64_t type) {
  std::string block;
  Writer w(block);
  Writer event(w, 1);
  put(event, 1, type);
  Writer body(event, 999);
  put(body, 1, 1);
  return block;
}

}  // namespace sonde::test
