#include "lamarck/llm/scripted_scene_fixture.h"

#include <fmt/format.h>

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"

namespace lamarck::llm {
namespace {

Json usage() { return {{"prompt_tokens", 7}, {"completion_tokens", 5}}; }

std::string event(const Json& json) {
  return "data: " + dump_json(json) + "\n\n";
}

ServerScene one_step(std::string bytes) {
  return {.steps = {{.bytes = std::move(bytes)}}};
}

}  // namespace

ServerScene http_scene(int status, std::string_view body,
                       std::string_view headers) {
  return one_step(
      fmt::format("HTTP/1.1 {} Scripted\r\nContent-Type: application/json\r\n"
                  "{}Content-Length: {}\r\n\r\n{}",
                  status, headers, body.size(), body));
}

ServerScene chat_scene(std::string_view text, std::string_view finish_reason) {
  const Json message = {{"role", "assistant"}, {"content", text}};
  const Json choice = {
      {"index", 0}, {"message", message}, {"finish_reason", finish_reason}};
  return http_scene(
      200, dump_json({{"choices", Json::array({choice})}, {"usage", usage()}}));
}

ServerScene stream_scene(const std::vector<std::string>& texts) {
  std::string bytes =
      "HTTP/1.1 200 Scripted\r\nContent-Type: text/event-stream\r\n"
      "Connection: close\r\n\r\n: a comment\n\n";
  for (const std::string& text : texts) {
    const Json choice = {{"delta", {{"content", text}}},
                         {"finish_reason", nullptr}};
    bytes += event({{"choices", Json::array({choice})}});
  }
  const Json last = {{"delta", Json::object()}, {"finish_reason", "stop"}};
  bytes += event({{"choices", Json::array({last})}});
  bytes += event({{"choices", Json::array()}, {"usage", usage()}});
  ServerScene scene = one_step(bytes + "data: [DONE]\n\n");
  scene.closes = true;
  return scene;
}

ServerScene stalling_scene(std::chrono::milliseconds duration,
                           ServerScene after) {
  after.steps.insert(after.steps.begin(), {.wait = duration, .bytes = ""});
  return after;
}

ServerScene truncated_scene(std::string_view body) {
  ServerScene scene = one_step(
      fmt::format("HTTP/1.1 200 Scripted\r\nContent-Type: application/json\r\n"
                  "Content-Length: {}\r\n\r\n{}",
                  body.size() + 1000, body));
  scene.closes = true;
  return scene;
}

ServerScene flooding_scene() {
  ServerScene scene = one_step(
      "HTTP/1.1 200 Scripted\r\nContent-Type: application/json\r\n"
      "Connection: close\r\n\r\n{\"choices\": \"");
  scene.steps.push_back(
      {.bytes = std::string(64 * 1024, 'x'), .is_endless = true});
  return scene;
}

ServerScene resetting_scene() { return {.steps = {}, .resets = true}; }

}  // namespace lamarck::llm
