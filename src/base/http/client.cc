#include "base/http/client.h"

#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "base/http/exchange.h"

namespace sonde::http {
namespace {

std::string what_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

}  // namespace

struct Client::State {
  Shared shared;
  std::map<uint64_t, std::shared_ptr<Exchange>> exchanges;
  uint64_t last = 0;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> guard;
};

Client::Client(std::string authorities) : state_(std::make_unique<State>()) {
  state_->shared.authorities = std::move(authorities);
}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

uint64_t Client::start(Request request, Done done) {
  State& state = *state_;
  const uint64_t id = ++state.last;
  const auto exchange = std::make_shared<Exchange>(state.shared, std::move(request));
  state.exchanges[id] = exchange;
  asio::co_spawn(state.shared.context, exchange->run(),
                 [&state, id, exchange, done = std::move(done)](const std::exception_ptr& error, Outcome outcome) {
                   state.exchanges.erase(id);
                   if (error) exchange->abort({});
                   done(error ? std::unexpected(Failure{.what = what_of(error)}) : std::move(outcome));
                 });
  return id;
}

void Client::cancel(uint64_t exchange) {
  const auto found = state_->exchanges.find(exchange);
  if (found != state_->exchanges.end()) found->second->abort({Failure::Kind::cancelled, "cancelled"});
}

Outcome Client::exchange(Request request, const std::function<bool()>& is_cancelled) {
  constexpr std::chrono::milliseconds kAskAfter{100};
  asio::io_context& context = state_->shared.context;
  std::optional<Outcome> result;
  const uint64_t id = start(std::move(request), [&result](Outcome outcome) { result = std::move(outcome); });
  while (!result) {
    if (is_cancelled()) cancel(id);
    context.restart();
    context.run_one_for(kAskAfter);
  }
  return std::move(*result);
}

void Client::run() {
  asio::io_context& context = state_->shared.context;
  state_->guard.emplace(context.get_executor());
  context.restart();
  context.run();
}

void Client::post(std::function<void()> call) { asio::post(state_->shared.context, std::move(call)); }

void Client::finish() { state_->guard.reset(); }

}  // namespace sonde::http
