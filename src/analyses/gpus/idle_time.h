#pragma once

#include <functional>
#include <string_view>

#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/gpus.h"
#include "trace/trace.h"

namespace sonde {

/// Why a GPU did nothing. What came next on it tells whom it waited for: the thread that launched that.
enum class IdleCause : uint8_t {
#define SONDE_IDLE_CAUSE(name, title, meaning) name,
#include "analyses/gpus/idle_causes.inc"
#undef SONDE_IDLE_CAUSE
  count_
};

struct IdleCauseInfo {
  std::string_view name;
  std::string_view title;    ///< for people
  std::string_view meaning;  ///< when an idle nanosecond counts for it
};
[[nodiscard]] const IdleCauseInfo& info_of(IdleCause cause);

/// A part of an idle span with one cause. The pieces of a GPU are disjoint and together its idle time.
struct IdlePiece {
  uint32_t gpu = 0;  ///< of Gpus::gpus
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  IdleCause cause = IdleCause::unknown;
  ThreadId thread = kNone;  ///< whose work the GPU waited for
  NameId name = kNone;      ///< of the call or range that the thread was in
  Row range = kNone;        ///< the innermost push/pop range that the thread was in, over all domains but Python's
  Row launch = kNone;       ///< the API call that launched what came next
};

/// Calls `f` with each piece of the idle time of each GPU between the ends of `extent`, GPU by GPU in the order of
/// time. Where several causes hold at once, the first in the order of idle_causes.inc counts, and of one cause the
/// activity that began last. A piece ends where another activity counts; what begins meanwhile and is weaker does not
/// cut it. Work counts as launched when its call has returned; where the call is not in the profile and its correlation
/// id is smaller than all that were recorded in its process, when the first of these began: ids count up.
void for_each_idle_piece(const Trace& trace, const Gpus& gpus, Span extent,
                         const std::function<void(const IdlePiece&)>& f);

/// What it reads, as far as the profile has it.
inline constexpr Fields kIdleFields =
    kGpuWork | Fields{Field::streams,     Field::launches,  Field::api,      Field::ranges,
                      Field::range_links, Field::overheads, Field::os_calls, Field::library_calls};

}  // namespace sonde
