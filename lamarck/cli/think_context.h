// What the actions of `lamarck think` work with.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/cli/command.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/session.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::cli {

struct ThinkFlags {
  std::string action;
  std::string session;
  std::string db;
  std::string out;
  std::string state;
  std::string after;
  std::optional<std::size_t> count;
  bool follow = false;
  bool mermaid = false;
  bool dot = false;
  bool svg = false;
  bool with_private = false;
  bool is_forced = false;
  bool reset = false;
};

// The context that an action runs in.
struct ThinkContext {
  const ThinkFlags& flags;
  CommandContext& context;
  store::Journal& journal;
  thought::ThoughtEngine& engine;

  // The session as JSON, without secrets unless --with-private is given.
  Json shown(const thought::Session& session) const;
  // Prints `json` with --json, otherwise `text`, which may quote a model.
  void print(const Json& json, const std::string& text) const;
};

// Fails with NotFound unless the journal has this session.
Result<void> check_session(const ThinkContext& think, const std::string& id);

// Returns the last `count` events of `run`, and those added since it was read.
Result<std::vector<store::Event>> last_events(const ThinkContext& think,
                                              const store::Run& run,
                                              std::size_t count);

// Writes a file that only its owner can read, even while it is being written.
Result<void> write_private_file(const std::string& file,
                                std::string_view bytes);

}  // namespace lamarck::cli
