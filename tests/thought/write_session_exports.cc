// Writes sessions with texts that are hard to quote into a folder, in every
// export format, for Mermaid and an XML parser to check.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/rng.h"
#include "lamarck/thought/session_export.h"

namespace {

using lamarck::Json;
using lamarck::Rng;
using lamarck::store::Event;
using lamarck::thought::Session;

const std::vector<std::string> kWords = {
    "end",      "subgraph", "graph TD",   "\"quoted\"",
    "'x'",      "`code`",   "[a]",        "{b}",
    "(c)",      "((d))",    "|e|",        "<b>f</b>",
    "<br/>",    "&amp;",    "#35;",       "#quot;",
    ";",        "--> e1",   "%% note",    "%%{init}%%",
    "click e1", ":::x",     "\\",         "\n",
    "\t",       "\x01",     "\xff",       "\u4e2d\u6587",
    "~~~",      "@{x: y}",  "\U0001f600", "\u202etxet",
    "default",  "style",    "**m**",      "$$x$$",
    "]]>",      "<!--",     "classDef",   "o--o",
    "x",        "1. item",  "- item",     "href=\"javascript:alert(1)\"",
    "\u2028",   "\ufffe"};
const std::vector<std::string> kTypes = {
    "plan_step",  "critique", "branch",   "merge",   "validate",
    "checkpoint", "evidence", "parallel", "session", "end"};
const std::vector<std::string> kEdges = {"causes", "refines", "contradicts",
                                         "supports", "end"};

std::string random_text(Rng& rng) {
  std::string text;
  for (auto words = rng.integer(0, 6); words > 0; --words) {
    text += rng.choice(kWords);
    if (rng.chance(0.6)) text += ' ';
  }
  return text;
}

Event random_event(Rng& rng, std::size_t index) {
  const Json constraints = {
      {"branch", "branch_" + std::to_string(rng.below(4))},
      {"private", rng.chance(0.1)}};
  Event event{.id = "evt_" + std::to_string(index),
              .type = rng.choice(kTypes),
              .content = random_text(rng),
              .constraints = lamarck::dump_json(constraints)};
  for (auto edges = rng.integer(0, 2); index > 0 && edges > 0; --edges) {
    event.parents.push_back(
        {"evt_" + std::to_string(rng.below(index)), rng.choice(kEdges)});
  }
  return event;
}

Session random_session(Rng& rng) {
  Session session;
  session.id = "sess_1";
  session.goal = random_text(rng);
  for (int i = 0; i < 4; ++i) {
    const std::string id = "branch_" + std::to_string(i);
    session.branches[id] = {.id = id, .name = random_text(rng)};
  }
  return session;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_exports(const std::filesystem::path& stem, Rng& rng,
                   std::size_t event_count) {
  const Session session = random_session(rng);
  std::vector<Event> events;
  for (std::size_t i = 0; i < event_count; ++i) {
    events.push_back(random_event(rng, i));
  }
  write(stem.string() + ".mmd", to_mermaid(session, events));
  write(stem.string() + ".dot", to_dot(session, events));
  write(stem.string() + ".svg", to_svg(session, events));
  write(stem.string() + ".json", to_json_text(session, events));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_session_exports FOLDER\n";
    return 2;
  }
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    write_exports(std::filesystem::path(argv[1]) / std::to_string(seed), rng,
                  seed == 59 ? 1000 : seed);
  }
  return 0;
}
