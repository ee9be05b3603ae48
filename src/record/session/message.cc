#include "record/session/message.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sonde::record {
namespace {

constexpr std::array<std::string_view, 5> kVerbs = {"status", "start", "stop", "cancel", "shutdown"};
constexpr std::string_view kDone = "done";
constexpr std::string_view kRefused = "refused";

std::vector<std::string_view> words_of(std::string_view packet) {
  std::vector<std::string_view> words;
  for (size_t end = packet.find('\0'); end != std::string_view::npos; end = packet.find('\0')) {
    words.push_back(packet.substr(0, end));
    packet.remove_prefix(end + 1);
  }
  return words;
}

class Packet {
 public:
  void word(std::string_view text) { bytes_.append(text).push_back('\0'); }
  void field(std::string_view name, std::string_view value) { word(fmt::format("{}={}", name, value)); }
  void field(std::string_view name, int64_t value) { word(fmt::format("{}={}", name, value)); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Calls f(name, field) for each field, so that both directions have the same.
template <typename R, typename F>
void visit_fields(R& request, F&& f) {
  auto& r = request.round;
  f("signal", request.signal);
  f("output", r.output);
  f("overwrite", r.overwrite);
  f("delay_ns", r.delay_ns);
  f("duration_ns", r.duration_ns);
  f("from_cuda", r.from_cuda);
  f("keep_ns", r.keep_ns);
  f("kill", r.kill_signal);
  f("stop_on_exit", r.stop_on_exit);
  f("only", r.only);
  f("trigger", r.capture.trigger);
  f("range", r.capture.range);
  f("domain", r.capture.domain);
  f("any_domain", r.capture.any_domain);
  f("ends", r.capture.ends);
  f("ranges", r.capture.ranges);
  f("numbered", r.capture.numbered);
  f("shutdown", r.capture.shutdown);
}

struct FieldWriter {
  Packet& packet;
  void operator()(std::string_view name, const std::string& value) const { packet.field(name, value); }
  void operator()(std::string_view name, const std::optional<int64_t>& value) const {
    if (value) packet.field(name, *value);
  }
  void operator()(std::string_view name, auto value) const { packet.field(name, static_cast<int64_t>(value)); }
};

template <typename T>
bool parse(std::string_view text, T& value, T least, T most) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) return false;
  value = number;
  return true;
}

/// Reads one "name=value" into the field of that name.
struct FieldReader {
  std::string_view name;
  std::string_view text;
  bool read = false;

  void operator()(std::string_view of, auto& field) {
    if (of == name) read = take(field);
  }

 private:
  bool take(std::string& field) const {
    field = text;
    return true;
  }
  bool take(bool& field) const {
    field = text == "1";
    return text == "0" || text == "1";
  }
  bool take(int& field) const {
    constexpr int kMaxSignal = 64;
    return parse(text, field, 0, kMaxSignal);
  }
  bool take(uint32_t& field) const { return parse(text, field, uint32_t{0}, ~uint32_t{0}); }
  bool take(int64_t& field) const { return parse(text, field, int64_t{0}, kMaxNs); }
  bool take(std::optional<int64_t>& field) const { return take(field.emplace()); }
  bool take(wire::Trigger& field) const {
    uint32_t number = 0;
    if (!parse(text, number, uint32_t{0}, static_cast<uint32_t>(wire::Trigger::nvtx))) return false;
    field = static_cast<wire::Trigger>(number);
    return true;
  }

  static constexpr int64_t kMaxNs = 1'000'000'000'000'000'000;  // 31 years: sums of two still fit
};

}  // namespace

std::string packet_of(const Request& request) {
  Packet packet;
  packet.word(kVerbs[static_cast<size_t>(request.verb)]);
  visit_fields(request, FieldWriter{packet});
  return packet.take();
}

std::string packet_of(const Answer& answer) {
  Packet packet;
  packet.word(answer.done ? kDone : kRefused);
  for (const std::string& line : answer.lines) packet.word(line);
  return packet.take();
}

Result<Request> read_request(std::string_view packet) {
  const auto words = words_of(packet);
  const auto* const verb = words.empty() ? kVerbs.end() : std::ranges::find(kVerbs, words.front());
  if (verb == kVerbs.end()) return fail("unknown request to a session");
  Request request;
  request.verb = static_cast<Verb>(verb - kVerbs.begin());
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = std::min(words[i].find('='), words[i].size());
    FieldReader reader{.name = words[i].substr(0, equals),
                       .text = words[i].substr(std::min(equals + 1, words[i].size()))};
    visit_fields(request, reader);
    if (!reader.read) return fail("a session does not accept '{}'; is the sonde command of another version?", words[i]);
  }
  if (request.verb == Verb::start && !request.round.output.starts_with('/')) {
    return fail("a session writes only to an absolute path, not to '{}'", request.round.output);
  }
  return request;
}

Result<Answer> read_answer(std::string_view packet) {
  const auto words = words_of(packet);
  if (words.empty() || (words.front() != kDone && words.front() != kRefused)) {
    return fail("the session did not respond; is the sonde command of another version?");
  }
  Answer answer;
  answer.done = words.front() == kDone;
  for (size_t i = 1; i < words.size(); ++i) answer.lines.emplace_back(words[i]);
  return answer;
}

}  // namespace sonde::record
