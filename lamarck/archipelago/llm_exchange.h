// One conversation with a model. Tracks its cost and the time that is left.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/clock.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::archipelago {

// Owned by one thread.
class LlmExchange {
 public:
  // `model`, `clock` and `budget` must outlive the exchange; `budget` may be
  // null.
  LlmExchange(llm::ChatModel& model, Clock& clock, Budget* budget,
              llm::ChatRequest request);

  // Sends all messages so far and appends the answer to them.
  Result<llm::ChatReply> ask(const CancelToken& cancel);
  void say(llm::ChatMessage message);

  const std::vector<llm::ChatMessage>& messages() const {
    return request_.messages;
  }
  // The cost of the whole exchange, including failed calls.
  const MutationCost& cost() const { return cost_; }
  // Empty if the request has no timeout.
  std::optional<std::chrono::milliseconds> time_left() const;

 private:
  void count(const Error& error, Reservation* reservation);
  void count(const llm::ChatReply& reply, Reservation* reservation);
  void add(const llm::TokenUsage& usage, std::int64_t money_micros,
           Reservation* reservation);

  // Set at construction.
  llm::ChatModel& model_;
  Clock& clock_;
  Budget* budget_;
  std::chrono::nanoseconds begin_;
  std::optional<std::chrono::milliseconds> timeout_;

  llm::ChatRequest request_;
  MutationCost cost_;
};

}  // namespace lamarck::archipelago
