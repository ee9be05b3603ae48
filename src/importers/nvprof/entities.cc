#include <fmt/format.h>

#include "importers/nsys/streams.h"
#include "importers/nsys/tables.h"
#include "importers/nvprof/session.h"

/// Devices, contexts, streams and the names of processes of a database of nvprof.
namespace sonde::nvprof {
namespace {

/// 16 bytes in NVIDIA's form, without the "GPU-" in front.
std::string uuid_text(std::string_view bytes) {
  constexpr size_t kBytes = 16;
  std::string text;
  if (bytes.size() != kBytes) return text;
  for (size_t i = 0; i < kBytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<uint8_t>(bytes[i]));
  }
  return text;
}

/// Names of devices are ids of StringTable, which are wanted before the file's names are resolved.
std::string text_of(const NsysFile& file, int64_t id) {
  auto row = file.database().prepare("SELECT value FROM StringTable WHERE _id_ = ?");
  if (!row) return {};
  row->bind(1, id);
  return row->next().value_or(false) ? std::string(row->text(0)) : std::string();
}

void read_devices(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_DEVICE");
  if (!query.exists()) return;
  const Cell id = query.column("id");
  const Cell name = query.column("name");
  const Cell uuid = query.column("uuid");
  nsys::read_cupti_device(file, query, [&](auto& row) -> Device* {
    Device& d = file.trace().devices.emplace_back();
    d.rank = file.rank();
    d.id = row.integer(id, 0);
    d.cuda_ordinal = d.id;
    d.name = text_of(file, row.integer(name, 0));
    d.uuid = uuid_text(row.text(uuid));
    return &d;
  });
}

void read_streams(NsysFile& file, const Session& session) {
  const auto pid = static_cast<int64_t>(session.process >> 24);
  TableQuery contexts = file.query("CUPTI_ACTIVITY_KIND_CONTEXT");
  if (contexts.exists()) {
    const Cell context = contexts.column("contextId");
    const Cell stream = contexts.column("nullStreamId");
    file.each_row(contexts, [&](auto& row) {
      nsys::mark_default_stream(file, {pid, row.integer(context, -1), row.integer(stream, -1)});
    });
  }
  TableQuery streams = file.query("CUPTI_ACTIVITY_KIND_STREAM");
  if (!streams.exists()) return;
  const Cell context = streams.column("contextId");
  const Cell stream = streams.column("streamId");
  const Cell priority = streams.column("priority");
  const Cell flag = streams.column("flag");
  std::vector<nsys::StreamFacts> facts;
  file.each_row(streams, [&](auto& row) {
    facts.push_back({{pid, row.integer(context, 0), row.integer(stream, 0)},
                     static_cast<int>(row.integer(priority, 0)),
                     static_cast<int>(row.integer(flag, 0))});
  });
  nsys::describe_streams(file, facts);
}

void name_processes(NsysFile& file) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_NAME");
  if (!query.exists()) return;
  const Cell kind = query.column("objectKind");
  const Cell packed = query.column("objectId");
  const Cell name = query.column("name");
  file.each_row(query, [&](auto& row) {
    const Object object = object_of(row.integer(kind, 0), row.text(packed));
    if (object.process < 0 || object.thread >= 0) return;
    for (Process& p : file.trace().processes) {
      if (p.rank == file.rank() && p.pid == object.process) p.name = text_id(row, name);
    }
  });
  for (Process& p : file.trace().processes) {
    if (p.rank == file.rank()) file.name_later(p.name);
  }
}

}  // namespace

void read_entities(NsysFile& file, const Session& session) {
  for (const auto& [id, global] : session.threads) {
    const auto known = file.threads().find(global);
    if (known != file.threads().end()) {
      file.trace().threads[known->second].tid = id.second;
    }
  }
  name_processes(file);
  read_devices(file);
  nsys::place_streams(file, {});
  if (file.wants(Field::streams)) read_streams(file, session);
}

}  // namespace sonde::nvprof
