#include <cstdio>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "dump_kernels.h"
#include "dump_views.h"
#include "importers/importer.h"
#include "trace/columns.h"
#include "trace/recorded_inputs.h"

/// Prints counts and sums of an imported trace as JSON, in the shape that tests/reference/pytorch_facts.py prints; with
/// --kernels what it holds of measured launches (dump_kernels.h), with --views what Sonde draws from them
/// (dump_views.h).
namespace sonde {
namespace {

using nlohmann::json;

/// Sums over one table. Values that are not known count as 0.
class Facts {
 public:
  void add(std::string_view name, int64_t duration) {
    ++rows_;
    add_sum("duration_ns", duration);
    auto& [count, sum] = names_[std::string(name)];
    ++count;
    sum += duration;
  }
  void add_sum(const std::string& key, int64_t value) {
    sums_[key] += value == kUnknown || value == kUnknown32 ? 0 : value;
  }

  [[nodiscard]] bool empty() const { return rows_ == 0; }
  [[nodiscard]] json document() const {
    json names = json::object();
    for (const auto& [name, sums] : names_) names[name] = {sums.first, sums.second};
    return {{"rows", rows_}, {"sums", sums_}, {"names", names}};
  }

 private:
  int64_t rows_ = 0;
  std::map<std::string, int64_t> sums_;
  std::map<std::string, std::pair<int64_t, int64_t>> names_;
};

int64_t volume(const Dim3& d) { return int64_t{1} * d[0] * d[1] * d[2]; }

template <typename Ops>
Facts gpu_facts(const Ops& ops, const auto& name, const auto& more) {
  Facts facts;
  for (size_t row = 0; row < row_count(ops); ++row) {
    facts.add(name(row), ops.end[row] - ops.start[row]);
    facts.add_sum("start_sum", ops.start[row]);
    facts.add_sum("correlation_sum", ops.correlation[row]);
    more(facts, row);
  }
  return facts;
}

Facts kernel_facts(const Trace& t) {
  const Kernels& k = t.kernels;
  return gpu_facts(
      k, [&](size_t row) { return t.name(k.name[row]); },
      [&](Facts& facts, size_t row) {
        facts.add_sum("blocks", volume(k.grid[row]));
        facts.add_sum("threads", volume(k.block[row]));
        facts.add_sum("registers", k.registers[row]);
        facts.add_sum("shared_bytes", k.shared_bytes[row]);
        facts.add_sum("in_collectives", k.collective[row] == kNone ? 0 : 1);
      });
}

template <typename Ops>
Facts bytes_facts(const Ops& ops) {
  return gpu_facts(
      ops, [](size_t) { return ""; }, [&](Facts& facts, size_t row) { facts.add_sum("bytes", ops.bytes[row]); });
}

Facts call_facts(const Trace& t, const Calls& calls, bool correlations) {
  Facts facts;
  for (size_t row = 0; row < row_count(calls); ++row) {
    facts.add(t.name(calls.name[row]), calls.end[row] - calls.start[row]);
    facts.add_sum("start_sum", calls.start[row]);
    if (correlations) facts.add_sum("correlation_sum", calls.correlation[row]);
  }
  return facts;
}

Facts range_facts(const Trace& t) {
  const Ranges& r = t.ranges;
  Facts facts;
  for (size_t row = 0; row < row_count(r); ++row) {
    const bool counted = r.sequence[row] != kUnknown && r.sequence[row] >= 0;
    facts.add(t.name(r.name[row]), r.end[row] - r.start[row]);
    facts.add_sum("start_sum", r.start[row]);
    facts.add_sum("sequences", counted ? 1 : 0);
    facts.add_sum("sequence_sum", counted ? r.sequence[row] : 0);
    facts.add_sum("backward_marked", r.backward[row]);
    facts.add_sum("shape_bytes", static_cast<int64_t>(line_of(t.name(r.shapes[row]), InputLine::shapes).size()));
  }
  return facts;
}

Facts allocation_facts(const Trace& t) {
  const Allocations& a = t.allocations;
  Facts facts;
  for (size_t row = 0; row < row_count(a); ++row) {
    facts.add("", 0);
    facts.add_sum("bytes", a.bytes[row]);
    facts.add_sum("releases", a.kind[row] == static_cast<uint8_t>(AllocationKind::release) ? 1 : 0);
    facts.add_sum("start_sum", a.start[row]);
    facts.add_sum("address_sum", a.address[row]);
    facts.add_sum("total_sum", a.total_bytes[row]);
    facts.add_sum("reserved_sum", a.reserved_bytes[row]);
  }
  return facts;
}

json tables(const Trace& t) {
  json out = json::object();
  const auto put = [&](const char* name, const Facts& facts) {
    if (!facts.empty()) out[name] = facts.document();
  };
  put("kernels", kernel_facts(t));
  put("copies", bytes_facts(t.copies));
  put("sets", bytes_facts(t.sets));
  put("syncs", gpu_facts(t.syncs, [](size_t) { return ""; }, [](Facts&, size_t) {}));
  put("api", call_facts(t, t.api, true));
  put("overheads", call_facts(t, t.overheads, false));
  put("ranges", range_facts(t));
  put("allocations", allocation_facts(t));
  return out;
}

json domains(const Trace& t) {
  std::map<std::string, int64_t> counts;
  for (const DomainId d : t.ranges.domain) ++counts[std::string(t.name(t.domains[d].name))];
  return counts;
}

json facts(const Trace& t) {
  std::map<std::string, int64_t> holds(t.ranks[0].holds.begin(), t.ranks[0].holds.end());
  std::set<std::tuple<int32_t, uint32_t, uint32_t>> streams;
  for (const Stream& s : t.streams) streams.emplace(s.ordinal, s.context, s.stream);
  json out{{"holds", holds},
           {"threads", t.threads.size()},
           {"streams", streams.size()},
           {"devices", t.devices.size()},
           {"domains", domains(t)},
           {"tables", tables(t)}};
  if (t.ranks[0].utc_ns) out["origin_utc_ns"] = *t.ranks[0].utc_ns;
  return out;
}

int run(const std::string& path, std::string_view what) {
  ImportRequest request;
  request.fields = Fields::all();
  const auto trace = import_run(std::span(&path, 1), request);
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().message);
    return 1;
  }
  for (const auto& e : trace->log.entries()) fmt::print(stderr, "{} {} {}\n", text_of(e.issue).id, e.detail, e.count);
  if (what == "--kernels") {
    dump_kernels(*trace);
  } else if (what == "--views") {
    dump_views(*trace);
  } else {
    fmt::print("{}\n", facts(*trace).dump(1, ' ', false, json::error_handler_t::replace));
  }
  return 0;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (argc != 2 && what != "--kernels" && what != "--views") {
    fmt::print(stderr, "usage: dump_trace [--kernels | --views] FILE\n");
    return 2;
  }
  return sonde::run(argv[argc - 1], what);
}
