#pragma once

#include <span>

#include "monitor/monitor.h"

namespace sonde::monitor::loop {

/// Tells everyone of changes of incidents: history, event stream and log. Thread-safe as these are.
void write_news(const MonitorParts& parts, std::span<const IncidentNews> news);
/// Log and event stream; `trouble` empty: the source is there again.
void write_source_state(const MonitorParts& parts, const std::string& trouble, size_t gpus);
void write_history_state(const MonitorParts& parts, const std::string& trouble);

}  // namespace sonde::monitor::loop
