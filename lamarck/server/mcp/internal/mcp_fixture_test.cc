#include "lamarck/server/mcp/internal/mcp_fixture.h"

#include <utility>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

constexpr std::chrono::seconds kTimeout{30};

std::vector<Json> json_lines(const std::string& body, std::string_view prefix) {
  std::vector<Json> messages;
  std::size_t at = 0;
  while (at < body.size()) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    const std::string_view line = std::string_view(body).substr(at, end - at);
    if (line.starts_with(prefix) && line.size() > prefix.size()) {
      messages.push_back(Json::parse(line.substr(prefix.size())));
    }
    at = end + 1;
  }
  return messages;
}

Tool tool(std::string name, bool is_nonblocking,
          std::function<Outcome(CallContext&, const Json&)> call) {
  Tool made;
  made.name = std::move(name);
  made.description = "A tool of the tests.";
  made.input_schema = R"({"type":"object"})";
  made.is_nonblocking = is_nonblocking;
  made.call = std::move(call);
  return made;
}

Tool echo_tool() {
  Tool made = tool("echo", true, [](CallContext&, const Json& arguments) {
    return tool_result(
        {{"text", arguments["text"]}, {"count", arguments.value("count", 1)}});
  });
  made.input_schema =
      R"({"type":"object","properties":{"text":{"type":"string"},)"
      R"("count":{"type":"integer"}},"required":["text"],)"
      R"("additionalProperties":false})";
  made.output_schema =
      R"({"type":"object","properties":{"text":{"type":"string"},)"
      R"("count":{"type":"integer"}},"required":["text","count"]})";
  made.read_only = true;
  return made;
}

Outcome ask_name(CallContext& context) {
  const Json* answer = context.input("user_name");
  if (answer != nullptr && answer->value("action", "") == "accept") {
    return tool_text("Hello, " + (*answer)["content"].value("name", "nobody") +
                     "! " + context.state());
  }
  return InputRequired{
      {{"user_name",
        {"elicitation/create",
         R"({"message":"Name?","requestedSchema":{"type":"object",)"
         R"("properties":{"name":{"type":"string"}}}})"}}},
      "round-1"};
}

Outcome sample(CallContext& context) {
  const Json* answer = context.input("thought");
  if (answer != nullptr) {
    return tool_text((*answer)["content"].value("text", ""));
  }
  return InputRequired{
      {{"thought",
        {"sampling/createMessage", R"({"messages":[],"maxTokens":10})"}}},
      ""};
}

Outcome chat(CallContext& context) {
  context.progress(0, 100, "begun");
  context.progress(0, 100, "not more");
  context.log(LogLevel::Debug, "tests", "quiet");
  context.log(LogLevel::Info, "tests", {{"step", 1}});
  context.progress(100, 100, "");
  return tool_text("done");
}

Outcome start_job(const Json& arguments) {
  const std::string kind = arguments.value("kind", "quick");
  StartTask start;
  start.is_required = kind == "required";
  start.work = [kind](CallContext& context) -> Outcome {
    if (kind == "wait") {
      context.cancel().wait_for(kTimeout);
      return Failure{-32603, "It was cancelled.", ""};
    }
    if (kind == "fail") return Failure{-32603, "It broke.", ""};
    if (kind == "ask") return ask_name(context);
    return tool_text("worked");
  };
  return start;
}

Outcome report_thread(CallContext&, const Json&) {
  const std::hash<std::thread::id> hash;
  return tool_text(std::to_string(hash(std::this_thread::get_id())));
}

// Counts its calls; the first ones are slow.
Tool counting() {
  const auto count = std::make_shared<std::atomic<int>>(0);
  return tool("count", false, [count](CallContext&, const Json&) {
    const int number = ++*count;
    std::this_thread::sleep_for(std::chrono::milliseconds(10 / number));
    return tool_text(std::to_string(number));
  });
}

void add_tools(Registry& registry) {
  auto& tools = registry.tools;
  tools.push_back(echo_tool());
  tools.push_back(tool("wait", false, [](CallContext& context, const Json&) {
    context.progress(1, std::nullopt, "waiting");
    context.cancel().wait_for(kTimeout);
    return tool_text("over");
  }));
  tools.push_back(tool("chat", false, [](CallContext& context, const Json&) {
    return chat(context);
  }));
  tools.push_back(tool("ask", true, [](CallContext& context, const Json&) {
    return ask_name(context);
  }));
  tools.push_back(tool("sample", false, [](CallContext& context, const Json&) {
    return sample(context);
  }));
  tools.push_back(tool("job", true, [](CallContext&, const Json& arguments) {
    return start_job(arguments);
  }));
  tools.push_back(tool("throw", true, [](CallContext&, const Json&) -> Outcome {
    throw std::runtime_error("a mistake");
  }));
  tools.push_back(tool("leave", false, [](CallContext& context, const Json&) {
    context.close_stream();
    return tool_text("the rest");
  }));
  tools.push_back(tool("blocks", true, [](CallContext&, const Json&) {
    return Complete{
        R"({"content":[{"type":"resource_link","uri":"test://a","name":"A"},)"
        R"({"type":"audio","data":"AAAA","mimeType":"audio/wav"}]})"};
  }));
  tools.push_back(tool("number", true, [](CallContext&, const Json&) {
    return tool_result(7);
  }));
  tools.back().output_schema = R"({"type":"integer"})";
  tools.push_back(tool("liar", true, [](CallContext&, const Json&) {
    return tool_result({{"count", "many"}});
  }));
  tools.back().output_schema =
      R"({"type":"object","properties":{"count":{"type":"integer"}}})";
  tools.push_back(tool("region", true, [](CallContext&, const Json&) {
    return tool_text("there");
  }));
  tools.back().input_schema =
      R"({"type":"object","properties":{"region":{"type":"string",)"
      R"("x-mcp-header":"Region"}}})";
  tools.push_back(tool("thread_here", true, report_thread));
  tools.push_back(tool("thread_there", false, report_thread));
  tools.push_back(tool("thread", false, report_thread));
  tools.back().blocks_on_disk_only = true;
  tools.push_back(counting());
  tools.back().blocks_on_disk_only = true;
}

void add_resources(Registry& registry) {
  registry.resources.push_back(
      {"test://static", "static", "", "A text.", "text/plain",
       [](CallContext&) {
         return ResourceText{"text/plain", "static text", false};
       }});
  registry.resources.push_back(
      {"test://bytes", "bytes", "", "", "image/png", [](CallContext&) {
         return ResourceText{"image/png", "\x01\x02", true};
       }});
  ResourceTemplate family;
  family.uri_template = "test://item/{id}";
  family.name = "items";
  family.read =
      [](CallContext&,
         const std::map<std::string, std::string>& of) -> Result<ResourceText> {
    if (of.at("id") == "none") {
      return Error(ErrorCode::NotFound, "Item none does not exist.");
    }
    return ResourceText{"text/plain", "item " + of.at("id"), false};
  };
  family.check =
      [](const std::map<std::string, std::string>& of) -> Result<void> {
    if (of.at("id") != "none") return {};
    return Error(ErrorCode::NotFound, "Item none does not exist.");
  };
  family.list = [] {
    return std::vector<Resource>{
        {"test://item/7", "seven", "", "", "text/plain", {}}};
  };
  registry.templates.push_back(std::move(family));
}

}  // namespace

void FakeExchange::wait(const std::function<bool()>& condition) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kTimeout, condition);
}

void FakeExchange::reply(net::HttpReply reply) {
  const std::lock_guard lock(mutex_);
  if (is_over_ || is_gone_ || has_begun_) return;
  answer_ = std::move(reply);
  is_over_ = true;
  changed_.notify_all();
}

void FakeExchange::begin(int status, net::HttpHeaders headers) {
  const std::lock_guard lock(mutex_);
  if (is_over_ || is_gone_) return;
  answer_.status = status;
  answer_.headers = std::move(headers);
  has_begun_ = true;
  changed_.notify_all();
}

void FakeExchange::write(std::string piece) {
  const std::lock_guard lock(mutex_);
  if (is_over_ || is_gone_) return;
  answer_.body += piece;
  changed_.notify_all();
}

void FakeExchange::end() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void FakeExchange::abort() { end(); }

void FakeExchange::on_closed(std::function<void()> closed) {
  const std::lock_guard lock(mutex_);
  closed_ = std::move(closed);
}

void FakeExchange::go_away() {
  std::function<void()> closed;
  {
    const std::lock_guard lock(mutex_);
    is_gone_ = true;
    closed = std::move(closed_);
  }
  if (closed) closed();
}

bool FakeExchange::wait_for_end() const {
  wait([&] { return is_over_; });
  return is_over();
}

bool FakeExchange::wait_for_text(std::string_view text) const {
  const auto has_text = [&] {
    return answer_.body.find(text) != std::string::npos;
  };
  wait(has_text);
  const std::lock_guard lock(mutex_);
  return has_text();
}

int FakeExchange::status() const {
  const std::lock_guard lock(mutex_);
  return answer_.status;
}

std::string FakeExchange::header(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = answer_.headers.find(name);
  return found == answer_.headers.end() ? "" : found->second;
}

std::string FakeExchange::body() const {
  const std::lock_guard lock(mutex_);
  return answer_.body;
}

bool FakeExchange::is_over() const {
  const std::lock_guard lock(mutex_);
  return is_over_;
}

std::vector<Json> FakeExchange::messages() const {
  const bool is_stream = header("Content-Type") == "text/event-stream";
  return json_lines(body(), is_stream ? "data:" : "");
}

Registry example_registry() {
  Registry registry;
  registry.server_name = "example";
  registry.server_title = "";
  registry.server_version = "1.0";
  registry.instructions = "Be brief.";
  add_tools(registry);
  add_resources(registry);
  registry.prompts.push_back(
      {"greet",
       "",
       "Greets.",
       {{"name", "Whom.", true}},
       [](CallContext&, const std::map<std::string, std::string>& arguments) {
         return Complete{
             dump_json({{"messages",
                         {{{"role", "user"},
                           {"content",
                            {{"type", "text"},
                             {"text", "Greet " + arguments.at("name")}}}}}}})};
       }});
  registry.completers.push_back(
      {"greet", "name",
       [](std::string_view value, const std::map<std::string, std::string>&) {
         return std::vector<std::string>(value == "many" ? 150 : 1,
                                         std::string(value) + "a");
       }});
  return registry;
}

Json modern_request(int id, std::string_view method, Json params,
                    Json capabilities) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
      std::move(capabilities);
  return legacy_request(id, method, std::move(params));
}

Json legacy_request(int id, std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"method", method},
          {"params", std::move(params)}};
}

McpFixture::McpFixture(McpOptions options, store::Journal* journal,
                       std::uint64_t seed)
    : server_(McpServer::create(example_registry(), std::move(options), clock_,
                                Rng(seed), journal)
                  .value()) {}

McpFixture::~McpFixture() = default;

void McpFixture::set_peer(std::string address, std::uint64_t connection) {
  address_ = std::move(address);
  connection_ = connection;
}

McpFixture::Exchange McpFixture::send(std::string method, std::string body,
                                      net::HttpHeaders headers) {
  net::HttpRequest request;
  request.method = std::move(method);
  request.path = "/mcp";
  request.headers = std::move(headers);
  request.headers.emplace("Content-Type", "application/json");
  request.headers.emplace("Accept", "application/json, text/event-stream");
  request.body = std::move(body);
  request.remote_address = address_;
  request.identity = identity_;
  request.connection = connection_;
  auto exchange = std::make_shared<FakeExchange>();
  server_->serve_http(std::move(request), exchange);
  return exchange;
}

McpFixture::Exchange McpFixture::post_modern(std::string_view method,
                                             Json params, Json capabilities) {
  net::HttpHeaders headers = {{"MCP-Protocol-Version", "2026-07-28"},
                              {"Mcp-Method", std::string(method)}};
  for (const char* name : {"name", "uri", "taskId"}) {
    if (params.contains(name) && params[name].is_string()) {
      headers.emplace("Mcp-Name", params[name].get<std::string>());
    }
  }
  return send("POST",
              dump_json(modern_request(next_id_++, method, std::move(params),
                                       std::move(capabilities))),
              std::move(headers));
}

Json McpFixture::modern(std::string_view method, Json params,
                        Json capabilities) {
  const Exchange exchange =
      post_modern(method, std::move(params), std::move(capabilities));
  if (!exchange->wait_for_end()) return "no answer";
  return exchange->messages().back();
}

Json McpFixture::modern(std::string_view method, Json params) {
  return modern(method, std::move(params), Json::object());
}

std::string McpFixture::initialize(std::string_view version) {
  return initialize(version, Json::object());
}

std::string McpFixture::initialize(std::string_view version,
                                   Json capabilities) {
  const Exchange exchange = send(
      "POST", dump_json(legacy_request(
                  next_id_++, "initialize",
                  {{"protocolVersion", version},
                   {"capabilities", std::move(capabilities)},
                   {"clientInfo", {{"name", "tests"}, {"version", "1"}}}})));
  std::string session = exchange->header("Mcp-Session-Id");
  post_legacy(session,
              {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  return session;
}

McpFixture::Exchange McpFixture::post_legacy(const std::string& session,
                                             const Json& message) {
  return send("POST", dump_json(message), {{"Mcp-Session-Id", session}});
}

Json McpFixture::legacy(const std::string& session, std::string_view method,
                        Json params) {
  const Exchange exchange = post_legacy(
      session, legacy_request(next_id_++, method, std::move(params)));
  if (!exchange->wait_for_end()) return "no answer";
  return exchange->messages().back();
}

TEST(McpFixture, ReadsMessagesOfStream) {
  FakeExchange exchange;
  exchange.begin(200, {{"Content-Type", "text/event-stream"}});
  exchange.write("id: 1_0\nretry: 500\ndata:\n\n");
  exchange.write("event: message\ndata: {\"a\":1}\n\n");
  EXPECT_EQ(exchange.messages(), std::vector<Json>({{{"a", 1}}}));
}

}  // namespace lamarck::mcp
