#pragma once

#include <span>

#include "monitor/monitor.h"

namespace sonde::monitor::loop {

/// Writes changes of incidents to the history, the event stream and the log. Thread-safe as these are.
void write_news(const MonitorParts& parts, std::span<const IncidentNews> news);
/// Log and event stream; `trouble` empty: the source is there again.
void write_source_state(const MonitorParts& parts, const std::string& trouble, size_t gpus);
void write_history_state(const MonitorParts& parts, const std::string& trouble);

}  // namespace sonde::monitor::loop
