#include "importers/pytorch/document.h"

#include "base/files/json_scan.h"

namespace sonde::pytorch {
namespace {

/// Behind a byte-order mark and white space.
size_t first_sign(std::string_view text) { return skip_space(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0); }

bool stands_at(std::string_view text, size_t at, char c) { return at < text.size() && text[at] == c; }

}  // namespace

Result<size_t> Document::find_events() {
  at_ = first_sign(text_);
  is_list_ = stands_at(text_, at_, '[');
  if (is_list_) return skip_space(text_, at_ + 1);
  if (!stands_at(text_, at_, '{')) return fail("is not JSON");
  ++at_;
  for (;;) {
    switch (step()) {
      case Step::member: break;
      case Step::events: return skip_space(text_, at_ + 1);
      case Step::broken: return fail("is truncated or not valid JSON at byte {}, before any event; copy it again", at_);
      case Step::end:
        return fail(
            "is JSON but not a trace because it has no list \"traceEvents\"; write a trace with "
            "torch.profiler's export_chrome_trace()");
    }
  }
}

bool Document::read_rest(size_t bracket) {
  if (is_list_) return true;
  at_ = bracket + 1;
  for (;;) {
    const Step next = step();
    if (next == Step::end || next == Step::broken) return next == Step::end;
    // A second list of events is skipped like any other member.
    if (next == Step::events && (at_ = value_end(text_, at_)) == kNowhere) return false;
  }
}

/// Reads the member at at_ and goes behind it; stays at the bracket of "traceEvents".
Document::Step Document::step() {
  size_t at = skip_space(text_, at_);
  if (stands_at(text_, at, ',')) at = skip_space(text_, at + 1);
  if (stands_at(text_, at, '}')) return Step::end;
  if (!stands_at(text_, at, '"')) return Step::broken;
  const size_t key_end = string_end(text_, at);
  if (key_end == kNowhere) return Step::broken;
  const std::string_view key = text_.substr(at + 1, key_end - at - 2);
  const size_t colon = skip_space(text_, key_end);
  if (!stands_at(text_, colon, ':')) return Step::broken;
  const size_t value = skip_space(text_, colon + 1);
  if (key == "traceEvents" && stands_at(text_, value, '[')) {
    at_ = value;
    return Step::events;
  }
  const size_t end = value_end(text_, value);
  if (end == kNowhere) return Step::broken;
  members_.emplace_back(key, text_.substr(value, end - value));
  at_ = end;
  return Step::member;
}

std::string_view Document::member(std::string_view key) const {
  for (const auto& [name, value] : members_) {
    if (name == key) return value;
  }
  return {};
}

bool begins_like_a_trace(std::string_view head) {
  const size_t first = first_sign(head);
  const size_t second = skip_space(head, first + 1);
  if (stands_at(head, first, '{')) return stands_at(head, second, '"') || stands_at(head, second, '}');
  return stands_at(head, first, '[') && (stands_at(head, second, '{') || stands_at(head, second, ']'));
}

}  // namespace sonde::pytorch
