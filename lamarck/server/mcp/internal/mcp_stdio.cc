#include "lamarck/server/mcp/internal/mcp_stdio.h"

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/server/mcp/internal/mcp_batch.h"
#include "lamarck/server/mcp/internal/mcp_id_scan.h"
#include "lamarck/server/mcp/internal/mcp_lines.h"
#include "lamarck/server/mcp/internal/mcp_methods.h"

namespace lamarck::mcp {
namespace {

class StdioSink final : public McpReplySink {
 public:
  explicit StdioSink(std::shared_ptr<LineWriter> writer)
      : writer_(std::move(writer)) {}

  void send(std::string message) override {
    const std::lock_guard lock(mutex_);
    if (!is_over_) writer_->write(std::move(message));
  }
  void finish(std::string message, int /*status*/) override {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_over_, true)) writer_->write(std::move(message));
  }
  void drop() override {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  // There is one client, and its requests take effect in order.
  bool may_block() const override { return true; }

 private:
  const std::shared_ptr<LineWriter> writer_;
  std::mutex mutex_;
  bool is_over_ = false;  // Guarded by mutex_.
};

class StdioConnection {
 public:
  StdioConnection(McpCore& core, int out)
      : core_(core),
        writer_(std::make_shared<LineWriter>(out)),
        session_(std::make_shared<McpSession>(
            "", [writer = writer_](std::string message) {
              writer->write(std::move(message));
            })) {
    core_.hub().add_session(session_);
  }

  ~StdioConnection() {
    // Listening calls never end by themselves, so they end before the wait.
    core_.hub().leave(*session_);
    if (!core_.cancel().is_cancelled()) {
      session_->wait_idle(core_.options().grace);
    }
    session_->close("The client closed the connection.");
    writer_->close(core_.options().grace);
  }

  bool is_broken() const { return writer_->is_broken(); }

  void accept_line(const LineReader::Line& line) {
    if (line.is_too_long) {
      return refuse("", {kInvalidRequest,
                         "A message must have at most " +
                             std::to_string(core_.options().max_message_bytes) +
                             " bytes.",
                         ""});
    }
    if (line.text.find_first_not_of(" \t") == std::string_view::npos) return;
    auto json = parse_json(line.text, {core_.options().max_message_bytes,
                                       core_.options().max_depth});
    if (!json.has_value()) {
      return refuse(scan_request_id(line.text),
                    {kParseError, json.error().message(), ""});
    }
    if (json->is_array()) {
      return accept_batch(core_, *std::move(json), sink(), session_);
    }
    auto read = read_message(*std::move(json));
    if (const auto* refusal = std::get_if<McpRefusal>(&read)) {
      return refuse(refusal->id, refusal->failure);
    }
    accept(std::get<McpMessage>(std::move(read)));
  }

 private:
  std::shared_ptr<McpReplySink> sink() const {
    return std::make_shared<StdioSink>(writer_);
  }

  void refuse(std::string_view id, const Failure& failure) const {
    writer_->write(error_message(id, failure));
  }

  void accept(McpMessage message) {
    if (message.kind != McpMessage::Kind::Request) {
      return core_.accept_quietly(message, *session_);
    }
    if (claims_modern(message)) {
      core_.accept_modern(std::move(message), nullptr, sink(), session_);
    } else if (message.method == "initialize") {
      writer_->write(core_.accept_initialize(message, session_));
    } else if (!session_->version().empty()) {
      core_.accept_legacy(std::move(message), sink(), session_);
    } else {
      accept_before_initialize(message);
    }
  }

  void accept_before_initialize(const McpMessage& message) const {
    if (message.method == "ping") {
      return writer_->write(result_message(message.id, "{}"));
    }
    // A modern method without an envelope: name the missing keys.
    const McpMethodRow* row = find_method(message.method, Era::Modern);
    if (row != nullptr && !row->is_legacy) {
      return refuse(message.id,
                    std::get<Failure>(read_modern_envelope(message)));
    }
    refuse(message.id,
           {kInvalidRequest,
            "Send initialize first, or put the protocol version into "
            "params._meta[\"" +
                std::string(kVersionKey) + "\"].",
            ""});
  }

  McpCore& core_;
  const std::shared_ptr<LineWriter> writer_;
  const std::shared_ptr<McpSession> session_;
};

}  // namespace

Result<void> serve_lines(McpCore& core, int in, int out,
                         const CancelToken& cancel) {
  LineReader reader(in, core.options().max_message_bytes);
  const std::function<void()> wake = [&reader] { reader.wake(); };
  const std::stop_callback on_cancel(cancel.stop_token(), wake);
  const CancelToken core_cancel = core.cancel();
  const std::stop_callback on_stop(core_cancel.stop_token(), wake);
  StdioConnection connection(core, out);
  while (!connection.is_broken()) {
    ASSIGN_OR_RETURN(const auto line, reader.next());
    if (!line.has_value()) break;
    connection.accept_line(*line);
  }
  return {};
}

}  // namespace lamarck::mcp
