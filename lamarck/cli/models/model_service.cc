#include "lamarck/cli/models/model_service.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/cli/models/chat_completions.h"
#include "lamarck/net/base64.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kMaxWaiting = 64;
constexpr std::size_t kMaxTexts = 2048;  // Of one request, as OpenAI has it.

net::HttpReply json_reply(int status, const Json& body) {
  net::HttpReply reply;
  reply.status = status;
  reply.headers["Content-Type"] = "application/json";
  reply.body = dump_json(body);
  return reply;
}

net::HttpReply error_reply(int status, const Error& error) {
  return json_reply(
      status,
      Json{{"error",
            {{"message", error.message()},
             {"type", status < 500 ? "invalid_request_error" : "server_error"},
             {"code", error_code_name(error.code())}}}});
}

std::string to_base64(std::span<const float> values) {
  return net::base64_encoded({reinterpret_cast<const char*>(values.data()),
                              values.size() * sizeof(float)});
}

struct EmbeddingRequest {
  std::vector<std::string> texts;
  bool is_base64 = false;
};

Result<EmbeddingRequest> parse_request(const std::string& body,
                                       std::string_view model) {
  ASSIGN_OR_RETURN(const Json root, parse_json(body));
  if (!root.is_object()) {
    return invalid_argument("The request must be a JSON object.");
  }
  ASSIGN_OR_RETURN(const auto wanted, json_field_or<std::string>(
                                          root, "model", std::string(model)));
  if (wanted != model) {
    return Error(ErrorCode::NotFound, "The model must be '" +
                                          std::string(model) + "', got " +
                                          in_quotes(wanted) + ".");
  }
  ASSIGN_OR_RETURN(const auto format,
                   json_field_or<std::string>(root, "encoding_format",
                                              std::string("float")));
  if (format != "float" && format != "base64") {
    return invalid_argument("encoding_format must be float or base64, got " +
                            in_quotes(format) + ".");
  }
  const Json input = root.value("input", Json());
  EmbeddingRequest request;
  request.is_base64 = format == "base64";
  for (const Json& text : input.is_array() ? input : Json::array({input})) {
    if (!text.is_string()) {
      return invalid_argument("input must be a text or a list of texts.");
    }
    request.texts.push_back(text.get<std::string>());
  }
  if (request.texts.empty() || request.texts.size() > kMaxTexts) {
    return invalid_argument("input must have between 1 and 2,048 texts, got " +
                            std::to_string(request.texts.size()) + ".");
  }
  return request;
}

struct Asked {
  const net::HttpRequest& http;
  const ServedModels& models;
  const Clock& clock;
  const CancelToken& cancel;
};

net::HttpReply answer_embeddings(const Asked& asked) {
  if (asked.models.embedder == nullptr) {
    return error_reply(
        404, Error(ErrorCode::NotFound,
                   in_quotes(asked.models.id()) +
                       " does not embed texts; run: lamarck models serve "
                       "minilm"));
  }
  const net::HttpRequest& http = asked.http;
  text::Embedder& embedder = *asked.models.embedder;
  const CancelToken& cancel = asked.cancel;
  const auto request = parse_request(http.body, embedder.id());
  if (!request) {
    const bool is_missing = request.error().code() == ErrorCode::NotFound;
    return error_reply(is_missing ? 404 : 400, request.error());
  }
  const auto vectors = embedder.embed(request->texts, cancel);
  if (!vectors) return error_reply(500, vectors.error());
  Json data = Json::array();
  std::size_t characters = 0;
  for (std::size_t i = 0; i < vectors->size(); ++i) {
    const std::vector<float>& vector = (*vectors)[i];
    characters += unicode_length(request->texts[i]);
    data.push_back({{"object", "embedding"},
                    {"index", i},
                    {"embedding", request->is_base64 ? Json(to_base64(vector))
                                                     : Json(vector)}});
  }
  // Four characters per token is an estimate; the vectors cost nothing.
  const std::size_t tokens = (characters + 3) / 4;
  return json_reply(
      200,
      Json{{"object", "list"},
           {"model", embedder.id()},
           {"data", std::move(data)},
           {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
}

net::HttpReply answer_chat(const Asked& asked) {
  if (asked.models.chat == nullptr) {
    return error_reply(
        404, Error(ErrorCode::NotFound,
                   in_quotes(asked.models.id()) +
                       " does not answer conversations; run: lamarck models "
                       "serve needle"));
  }
  llm::ChatModel& model = *asked.models.chat;
  const auto request = parse_chat_completion(asked.http.body, model.name());
  if (!request) {
    const bool is_missing = request.error().code() == ErrorCode::NotFound;
    return error_reply(is_missing ? 404 : 400, request.error());
  }
  const auto reply = model.complete(request->chat, asked.cancel);
  if (!reply) {
    const ErrorCode code = reply.error().code();
    const bool is_request_wrong =
        code == ErrorCode::InvalidArgument || code == ErrorCode::Unsupported;
    return error_reply(is_request_wrong ? 400 : 500, reply.error());
  }
  const auto time = asked.clock.wall_time().time_since_epoch();
  const ChatCompletionHead head{
      .id = "chatcmpl-" + std::to_string(time.count()),
      .model = model.name(),
      .created =
          std::chrono::duration_cast<std::chrono::seconds>(time).count()};
  if (!request->is_stream)
    return json_reply(200, chat_completion(*reply, head));
  net::HttpReply events;
  events.headers["Content-Type"] = "text/event-stream";
  events.body = chat_completion_stream(*reply, head, request->wants_usage);
  return events;
}

net::HttpReply list_served(const Asked& asked) {
  return json_reply(200,
                    Json{{"object", "list"},
                         {"data", Json::array({{{"id", asked.models.id()},
                                                {"object", "model"},
                                                {"owned_by", "lamarck"}}})}});
}

Error overloaded() {
  return Error(ErrorCode::Unavailable,
               "The server is busy or stopping; try again later.");
}

}  // namespace

net::HttpReply answer_model_request(const net::HttpRequest& request,
                                    const ServedModels& models,
                                    const Clock& clock,
                                    const CancelToken& cancel) {
  struct Route {
    std::string_view method;
    std::string_view path;
    net::HttpReply (*answer)(const Asked&);
  };
  static constexpr std::array kRoutes = {
      Route{"GET", "/v1/models", list_served},
      Route{"POST", "/v1/embeddings", answer_embeddings},
      Route{"POST", "/v1/chat/completions", answer_chat},
  };
  bool is_known = false;
  for (const Route& route : kRoutes) {
    if (route.path != request.path) continue;
    is_known = true;
    if (route.method == request.method) {
      return route.answer({request, models, clock, cancel});
    }
  }
  return error_reply(
      is_known ? 405 : 404,
      Error(ErrorCode::NotFound, "Nothing is served at " + request.method +
                                     " " + in_quotes(request.path) +
                                     "; use GET /v1/models, POST "
                                     "/v1/embeddings or POST "
                                     "/v1/chat/completions."));
}

struct ModelService::State {
  struct Job {
    net::HttpRequest request;
    std::shared_ptr<net::HttpExchange> exchange;
  };

  State(ServedModels used, const Clock& time)
      : models(std::move(used)), clock(time), worker([this] { work(); }) {}

  ~State() {
    cancel.cancel("The server stops.");
    {
      const std::lock_guard lock(mutex);
      is_stopping = true;
    }
    changed.notify_all();
    worker.join();
    for (Job& job : waiting) {
      job.exchange->reply(error_reply(503, overloaded()));
    }
  }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return is_stopping || !waiting.empty(); });
      if (is_stopping) return;
      const Job job = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      job.exchange->reply(
          answer_model_request(job.request, models, clock, cancel.token()));
      lock.lock();
    }
  }

  const ServedModels models;
  const Clock& clock;
  CancelSource cancel;
  std::condition_variable changed;
  std::mutex mutex;
  // Guarded by mutex.
  std::deque<Job> waiting;
  bool is_stopping = false;

  std::thread worker;  // Last, because it uses all others.
};

ModelService::ModelService(ServedModels models, const Clock& clock)
    : state_(std::make_unique<State>(std::move(models), clock)) {}
ModelService::~ModelService() = default;

void ModelService::serve(net::HttpRequest request,
                         const std::shared_ptr<net::HttpExchange>& exchange) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->is_stopping && state_->waiting.size() < kMaxWaiting) {
      state_->waiting.push_back({std::move(request), exchange});
      state_->changed.notify_one();
      return;
    }
  }
  exchange->reply(error_reply(503, overloaded()));
}

}  // namespace lamarck::cli
