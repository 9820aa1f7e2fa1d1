#include "lamarck/archipelago/llm_exchange.h"

#include <algorithm>
#include <utility>

#include "lamarck/archipelago/internal/error_amount.h"
#include "lamarck/llm/token_usage.h"

namespace lamarck::archipelago {
LlmExchange::LlmExchange(llm::ChatModel& model, Clock& clock, Budget* budget,
                         llm::ChatRequest request)
    : model_(model),
      clock_(clock),
      budget_(budget),
      begin_(clock.elapsed()),
      timeout_(request.timeout),
      request_(std::move(request)) {}

std::optional<std::chrono::milliseconds> LlmExchange::time_left() const {
  if (!timeout_) return std::nullopt;
  return *timeout_ - std::chrono::floor<std::chrono::milliseconds>(
                         clock_.elapsed() - begin_);
}

void LlmExchange::say(llm::ChatMessage message) {
  request_.messages.push_back(std::move(message));
}

Result<llm::ChatReply> LlmExchange::ask(const CancelToken& cancel) {
  // Reserves the largest possible cost, because several islands may ask at once
  // and none may exceed the budget. `add` settles it with the actual cost.
  std::optional<Reservation> reservation;
  if (budget_ != nullptr) {
    auto reserved = budget_->reserve(
        llm::budget_amounts(llm::max_usage(request_), model_.price()));
    if (!reserved) return reserved.error();
    reservation.emplace(std::move(reserved).value());
  }
  request_.timeout = time_left();
  Reservation* const reserved_cost = reservation ? &*reservation : nullptr;
  auto reply = model_.complete(request_, cancel);
  if (!reply) {
    count(reply.error(), reserved_cost);
    return reply.error();
  }
  count(*reply, reserved_cost);
  say({llm::Role::Assistant, reply->text});
  return reply;
}

void LlmExchange::count(const Error& error, Reservation* reservation) {
  add({.tokens_in = error_amount(error, "tokens_in"),
       .tokens_out = error_amount(error, "tokens_out")},
      error_amount(error, "money_micros"), reservation);
}

void LlmExchange::count(const llm::ChatReply& reply, Reservation* reservation) {
  add(reply.usage, reply.money_micros.value_or(0), reservation);
}

void LlmExchange::add(const llm::TokenUsage& usage, std::int64_t money_micros,
                      Reservation* reservation) {
  cost_.tokens_in += usage.tokens_in;
  cost_.tokens_out += usage.tokens_out;
  cost_.money_micros += money_micros;
  if (reservation == nullptr) return;
  reservation->settle({.tokens = usage.total(), .money_micros = money_micros});
}

}  // namespace lamarck::archipelago
