#include "importers/nsys/tables.h"

/// CPU samples, context switches, and call chains.
namespace sonde::nsys {
namespace {

void read_samples(NsysFile& file) {
  TableQuery query = file.query("COMPOSITE_EVENTS");
  if (!file.wants(Field::samples) || !query.exists()) return;
  const Cell id = query.column_if(file.wants(Field::call_chains), "id");
  const Cell start = query.column("start");
  const Cell cpu = query.column("cpu");
  const Cell state = query.column("threadState");
  const Cell thread = query.column("globalTid");
  const Cell cycles = query.column("cpuCycles");
  file.read_table(query, file.trace().samples, {}, [&](auto& row, Part<Samples>& part) {
    row.put(start, part.rows.start, int64_t{0});
    part.rows.thread.push_back(part.threads.id(static_cast<uint64_t>(row.integer(thread, 0))));
    row.put(cpu, part.rows.cpu, kUnknown32);
    row.put(state, part.rows.state, uint8_t{0});
    row.put(cycles, part.rows.cycles, kUnknown);
    row.put(id, part.rows.chain, kNone);
  });
}

void read_switches(NsysFile& file) {
  TableQuery query = file.query("SCHED_EVENTS");
  if (!file.wants(Field::scheduling) || !query.exists()) return;
  const Cell start = query.column("start");
  const Cell cpu = query.column("cpu");
  const Cell in = query.column("isSchedIn");
  const Cell thread = query.column("globalTid");
  const Cell state = query.column("threadState");
  const Cell block = query.column("threadBlock");
  file.read_table(query, file.trace().switches, {}, [&](auto& row, Part<Switches>& part) {
    row.put(start, part.rows.start, int64_t{0});
    part.rows.thread.push_back(part.threads.id(static_cast<uint64_t>(row.integer(thread, 0))));
    row.put(cpu, part.rows.cpu, kUnknown32);
    row.put(in, part.rows.in, uint8_t{0});
    row.put(state, part.rows.state, uint8_t{255});
    row.put(block, part.rows.block, uint8_t{255});
  });
}

void read_python_samples(NsysFile& file) {
  TableQuery query = file.query("SONDE_PYTHON_SAMPLE");
  if (!file.wants(Field::python_samples) || !query.exists()) return;
  const Cell start = query.column("start");
  const Cell thread = query.column("globalTid");
  const Cell state = query.column("threadState");
  const Cell gil = query.column("gil");
  const Cell chain = query.column_if(file.wants(Field::call_chains), "callchainId");
  file.read_table(query, file.trace().python_samples, {}, [&](auto& row, Part<PythonSamples>& part) {
    row.put(start, part.rows.start, int64_t{0});
    part.rows.thread.push_back(part.threads.id(static_cast<uint64_t>(row.integer(thread, 0))));
    row.put(state, part.rows.state, uint8_t{0});
    row.put(gil, part.rows.gil, static_cast<uint8_t>(GilUse::unknown));
    row.put(chain, part.rows.chain, kNone);
  });
}

/// The chains of one table: its own id -> ChainId.
using ChainMap = boost::unordered_flat_map<uint32_t, ChainId>;

/// Appends the frames of a table, chain by chain in the order of their ids, innermost frame first.
ChainMap read_chains(NsysFile& file, std::string_view table, bool is_python = false) {
  ChainMap map;
  TableQuery query = file.query(table);
  if (!query.exists()) return map;
  const Cell id = query.column("id");
  const Cell symbol = query.column("symbol");
  const Cell module = query.column("module");
  const Cell address = query.column("originalIP");
  const Cell kernel_mode = query.column("kernelMode");
  const Cell line = query.column_if(is_python, "line");
  query.order_by(" ORDER BY id, stackDepth");
  CallChains& chains = file.trace().chains;
  const size_t first_frame = chains.symbol.size();
  uint32_t current = kNone;
  if (is_python) chains.line.resize(first_frame, kUnknown32);
  file.each_row(query, [&](auto& row) {
    const auto chain = static_cast<uint32_t>(row.integer(id, 0));
    if (chain != current) {
      map[chain] = static_cast<ChainId>(chains.size());
      chains.first.push_back(static_cast<uint32_t>(chains.symbol.size()));
      current = chain;
    }
    row.put_name(symbol, chains.symbol);
    row.put_name(module, chains.module);
    row.put(address, chains.address, kUnknown);
    row.put(kernel_mode, chains.kernel_mode, uint8_t{0});
    if (is_python) row.put(line, chains.line, kUnknown32);
    chains.first.back() = static_cast<uint32_t>(chains.symbol.size());
  });
  file.names_from(chains.symbol, first_frame);
  file.names_from(chains.module, first_frame);
  return map;
}

void use_chains(Ids& column, size_t first, const ChainMap& map) {
  for (size_t row = first; row < column.size(); ++row) {
    const auto found = map.find(column[row]);
    column[row] = found == map.end() ? kNone : found->second;
  }
}

}  // namespace

void read_cpu_activity(NsysFile& file) {
  read_samples(file);
  read_switches(file);
  read_python_samples(file);
}

void read_call_chains(NsysFile& file, const EventRows& first) {
  if (!file.wants(Field::call_chains)) return;
  Trace& t = file.trace();
  if (file.wants(Field::api)) use_chains(t.api.chain, first.api, read_chains(file, "CUDA_CALLCHAINS"));
  if (file.wants(Field::os_calls)) use_chains(t.os_calls.chain, first.os_calls, read_chains(file, "OSRT_CALLCHAINS"));
  if (file.wants(Field::samples)) use_chains(t.samples.chain, first.samples, read_chains(file, "SAMPLING_CALLCHAINS"));
  if (file.wants(Field::python_samples)) {
    use_chains(t.python_samples.chain, first.python_samples, read_chains(file, "SONDE_PYTHON_CALLCHAIN", true));
  }
}

}  // namespace sonde::nsys
