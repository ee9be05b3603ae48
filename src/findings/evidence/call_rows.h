#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "analyses/gpus/idle_time.h"
#include "analyses/replay/replay.h"
#include "findings/rule.h"

/// API calls that a finding is about, as rows of `api` in ascending order.
namespace sonde {

/// The innermost operator around a call, a row of `ranges`; kNone where there is none.
[[nodiscard]] Row operator_around(const Trace& trace, Row call);

/// How often each is called, and by which operators: "38 cudaFree, 120 cudaStreamSynchronize in aten::item".
[[nodiscard]] std::string counts_of_calls(const Facts& facts, const std::vector<Row>& rows);

/// Time that threads spend in them; a call within another counts once.
[[nodiscard]] int64_t time_in_calls(const Facts& facts, const std::vector<Row>& rows);

/// The longest ten.
[[nodiscard]] std::vector<Evidence> evidence_of_calls(const Facts& facts, std::vector<Row> rows);

/// The same host time without overlaps.
[[nodiscard]] std::vector<Cut> merged_cuts(const std::vector<Cut>& cuts);

/// The program that does not make them.
[[nodiscard]] std::vector<Cut> cuts_of_calls(const Facts& facts, const std::vector<Row>& rows);

/// The program in which these copies return at once: of each what is longer than an asynchronous call.
[[nodiscard]] std::vector<Cut> waits_of_copies(const Facts& facts, const std::vector<Row>& rows);

/// Claims idle time of a cause for a rule, if the thread's last call of `kinds` is one of these rows.
void claim_idle_behind(const Facts& facts, const std::vector<Row>& rows, std::initializer_list<ApiKind> kinds,
                       IdleCause cause, Claims& claims);

}  // namespace sonde
