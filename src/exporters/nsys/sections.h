#pragma once

#include "exporters/nsys/table.h"

/// The parts of an nsys-schema export, in the order of the file. Each writes the tables that it has rows for.
namespace sonde::nsys_export {

[[nodiscard]] Status write_strings(Output& out, const Context& context);
[[nodiscard]] Status write_target(Output& out, const Context& context);
[[nodiscard]] Status write_gpu_operations(Output& out, const Context& context);
[[nodiscard]] Status write_memory_events(Output& out, const Context& context);
[[nodiscard]] Status write_calls(Output& out, const Context& context);
[[nodiscard]] Status write_ranges(Output& out, const Context& context);
/// What programs named: categories, and what their payloads are made of.
[[nodiscard]] Status write_range_definitions(Output& out, const Context& context);
[[nodiscard]] Status write_payload_schemas(Output& out, const Context& context);
[[nodiscard]] Status write_cpu_activity(Output& out, const Context& context);
[[nodiscard]] Status write_nccl_operations(Output& out, const Context& context);
[[nodiscard]] Status write_communicators(Output& out, const Context& context);
[[nodiscard]] Status write_call_chains(Output& out, const Context& context);
[[nodiscard]] Status write_counters(Output& out, const Context& context);
[[nodiscard]] Status write_counter_names(Output& out, const Context& context);
[[nodiscard]] Status write_kernel_profiles(Output& out, const Context& context);
[[nodiscard]] Status write_enums(Output& out);
[[nodiscard]] Status write_metadata(Output& out);

/// NVTX's number of each domain: 0 for the default domain, others from 1; domains of one name share a number.
[[nodiscard]] std::vector<int64_t> number_domains(const Trace& trace);
/// The name that a domain has as an NVTX domain; empty for the default one.
[[nodiscard]] std::string_view domain_name(const Trace& trace, const Domain& domain);
/// TARGET_INFO_GPU.id of each device: the source's own where those are distinct.
[[nodiscard]] std::vector<int64_t> number_gpus(const Trace& trace);

}  // namespace sonde::nsys_export
