#pragma once

/// What is read of a rocpd database, one query a kind of record. Ids are unique for one "guid", the id of a run: a
/// merged database has several.
namespace sonde::rocpd {

/// start, end, pid, device, stream, stack id | name, work-group x y z, grid x y z, LDS bytes, scratch bytes, registers
inline constexpr const char* kKernelQuery =
    "SELECT K.start, K.\"end\", P.pid, A.type_index, K.stream_id, E.stack_id, coalesce(S.display_name, S.kernel_name), "
    "K.workgroup_size_x, K.workgroup_size_y, K.workgroup_size_z, K.grid_size_x, K.grid_size_y, K.grid_size_z, "
    "K.group_segment_size, K.private_segment_size, S.arch_vgpr_count FROM rocpd_kernel_dispatch K "
    "LEFT JOIN rocpd_info_kernel_symbol S ON S.id = K.kernel_id AND S.guid = K.guid "
    "LEFT JOIN rocpd_info_process P ON P.id = K.pid AND P.guid = K.guid "
    "LEFT JOIN rocpd_info_agent A ON A.id = K.agent_id AND A.guid = K.guid "
    "LEFT JOIN rocpd_event E ON E.id = K.event_id AND E.guid = K.guid";

/// start, end, pid, device, stream, stack id | bytes, name. The device is the GPU's end of the copy.
inline constexpr const char* kCopyQuery =
    "SELECT M.start, M.\"end\", P.pid, CASE WHEN D.type = 'GPU' THEN D.type_index ELSE F.type_index END, M.stream_id, "
    "E.stack_id, M.size, N.string FROM rocpd_memory_copy M "
    "LEFT JOIN rocpd_string N ON N.id = M.name_id AND N.guid = M.guid "
    "LEFT JOIN rocpd_info_process P ON P.id = M.pid AND P.guid = M.guid "
    "LEFT JOIN rocpd_info_agent D ON D.id = M.dst_agent_id AND D.guid = M.guid "
    "LEFT JOIN rocpd_info_agent F ON F.id = M.src_agent_id AND F.guid = M.guid "
    "LEFT JOIN rocpd_event E ON E.id = M.event_id AND E.guid = M.guid";

/// start, end, pid, tid, stack id, name, category, message of a marker
inline constexpr const char* kRegionQuery =
    "SELECT R.start, R.\"end\", P.pid, T.tid, E.stack_id, N.string, C.string, "
    "CASE WHEN json_valid(E.extdata) THEN json_extract(E.extdata, '$.message') END FROM rocpd_region R "
    "LEFT JOIN rocpd_string N ON N.id = R.name_id AND N.guid = R.guid "
    "LEFT JOIN rocpd_info_process P ON P.id = R.pid AND P.guid = R.guid "
    "LEFT JOIN rocpd_info_thread T ON T.id = R.tid AND T.guid = R.guid "
    "LEFT JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid "
    "LEFT JOIN rocpd_string C ON C.id = E.category_id AND C.guid = E.guid";

/// number of all agents, number of the GPUs, name, architecture
inline constexpr const char* kAgentQuery =
    "SELECT absolute_index, type_index, coalesce(product_name, model_name, name, 'AMD GPU'), name FROM "
    "rocpd_info_agent WHERE type = 'GPU' ORDER BY guid, absolute_index";

inline constexpr const char* kProcessQuery = "SELECT pid, command FROM rocpd_info_process WHERE command IS NOT NULL";

inline constexpr const char* kVersionQuery = "SELECT value FROM rocpd_metadata WHERE tag = 'schema_version'";

}  // namespace sonde::rocpd
