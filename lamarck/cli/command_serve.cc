#include <malloc.h>
#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/model_settings.h"
#include "lamarck/cli/skills/serve_token.h"
#include "lamarck/cli/skills/skills_file.h"
#include "lamarck/net/http_server.h"
#include "lamarck/runs/program_call.h"
#include "lamarck/server/http_front.h"
#include "lamarck/server/page/page_file.h"
#include "lamarck/store/journal_place.h"

namespace lamarck::cli {
namespace {

// One address may have this fraction of all sessions.
constexpr std::size_t kAddressShare = 4;

struct ServeFlags {
  std::string db;
  std::string skills;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8420;
  std::vector<std::string> names;
  std::vector<std::string> allowed_hosts;
  std::int64_t max_sessions = 1'000;
  std::int64_t upload_memory = 64;  // Megabytes.
  std::int64_t max_upload = 32;     // Megabytes.
  bool no_sync = false;
  bool allows_private_webhooks = false;
};

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool is_address(const std::string& host) {
  in6_addr bytes{};
  // An IPv6 address may end in '%' and the name of an interface.
  const std::string bare = host.substr(0, host.find('%'));
  return host == "localhost" || inet_pton(AF_INET, host.c_str(), &bytes) == 1 ||
         inet_pton(AF_INET6, bare.c_str(), &bytes) == 1;
}

// The host as it appears in a URL and in the Host header: an IPv6 address is in
// brackets.
std::string url_host(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// Returns what is wrong with a port, or "" if it is valid.
std::string port_problem(const std::string& value) {
  std::uint16_t port = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, port);
  if (error == std::errc() && stop == end) return "";
  return "must be between 0 and 65535, got " + in_quotes(value);
}

Result<void> check_flags(const ServeFlags& flags) {
  if (!is_address(flags.host)) {
    return Error(ErrorCode::InvalidArgument,
                 "The host " + in_quotes(flags.host) +
                     " is not an address to listen on; use one such as "
                     "127.0.0.1, or 0.0.0.0 for all interfaces.");
  }
  for (const std::string& name : flags.names) {
    const char* const forbidden = name.starts_with('[') ? " /@" : " /@:";
    const bool is_name =
        !name.empty() && name.find_first_of(forbidden) == std::string::npos;
    if (is_name) continue;
    return Error(ErrorCode::InvalidArgument,
                 "--name must be a host name without scheme and port, got " +
                     in_quotes(name) + ".");
  }
  return {};
}

// Without a token, everybody who can connect is the administrator.
Result<void> check_access(const ServeFlags& flags, server::HttpFront& front) {
  if (is_loopback(flags.host)) return {};
  ASSIGN_OR_RETURN(const bool has_token, front.access().is_required());
  if (has_token) return {};
  return Error(
      ErrorCode::InvalidArgument,
      "Other machines can connect to " + in_quotes(flags.host) +
          ", so a token is required; set LAMARCK_SERVE_TOKEN, create one with "
          "`lamarck serve token create`, or leave out --host.");
}

constexpr std::string_view kPageMissing =
    "This program was built without the page; see tools/install-deps page.";

bool has_page() { return !server::page_files().empty(); }

// Prints the URL and flushes, so that a script can wait for this line.
void announce(const ServeFlags& flags, std::uint16_t port,
              const std::string& journal, CommandContext& context) {
  const std::string url =
      fmt::format("http://{}:{}/mcp", url_host(flags.host), port);
  const std::string page =
      fmt::format("http://{}:{}/", url_host(flags.host), port);
  const std::string api =
      fmt::format("http://{}:{}/api/v1", url_host(flags.host), port);
  if (context.json) {
    context.out << dump_json(Json{{"url", url},
                                  {"page", has_page() ? Json(page) : Json()},
                                  {"api", api},
                                  {"port", port},
                                  {"db", journal}})
                << "\n";
  } else {
    context.out << fmt::format(
        "{}\nMCP at {}\nHTTP interface at {}\nJournal: {}\nPress Ctrl-C to "
        "stop.\n",
        has_page() ? "Page at " + one_line(page) : std::string(kPageMissing),
        one_line(url), one_line(api), one_line(journal, 1000));
  }
  context.out.flush();
}

Result<server::HttpFrontOptions> front_options(const ServeFlags& flags,
                                               CommandContext& context) {
  server::HttpFrontOptions options;
  options.thoughts.journal = served_journal(flags.db, context.settings);
  options.thoughts.durable = !flags.no_sync;
  const auto max_sessions = static_cast<std::size_t>(flags.max_sessions);
  options.thoughts.protocol.max_sessions = max_sessions;
  options.thoughts.protocol.max_sessions_per_address =
      (max_sessions + kAddressShare - 1) / kAddressShare;
  ASSIGN_OR_RETURN(options.thoughts.model,
                   open_optional_model(context.settings, context.clock));
  options.skills.path =
      served_skills_file(flags.skills, flags.db, context.settings);
  options.skills.durable = !flags.no_sync;
  options.skills.model = options.thoughts.model;
  options.skills.webhooks.allows_private = flags.allows_private_webhooks;
  options.runs.program = runs::program_path();
  options.runs.data_folder = context.settings.text("data_dir");
  options.runs.parallel = std::max(1u, std::thread::hardware_concurrency());
  options.agents.data_folder = options.runs.data_folder;
  options.agents.program = options.runs.program;
  options.agents.model = options.thoughts.model;
  options.agents.max_tokens =
      static_cast<std::int64_t>(context.settings.count("llm.max_tokens"));
  options.agents.temperature = context.settings.number("llm.temperature");
  options.agents.allowed_hosts = {flags.allowed_hosts.begin(),
                                  flags.allowed_hosts.end()};
  options.operator_token = context.settings.text("serve.token");
  // Besides this machine's names, the gate accepts only these host names, which
  // prevents DNS rebinding.
  options.names = flags.names;
  options.names.push_back(url_host(flags.host));
  return options;
}

// By default each thread takes memory from an arena of its own, and most of
// what a server frees stays in the arena of another thread: with 64 clients,
// memory grew from 90 to 125 MB in a minute instead of staying at 75 MB.
void share_one_arena() {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}

Result<void> run_serve(const ServeFlags& flags, CommandContext& context) {
  share_one_arena();
  RETURN_IF_ERROR(check_flags(flags));
  ASSIGN_OR_RETURN(server::HttpFrontOptions options,
                   front_options(flags, context));
  const bool is_in_memory = options.thoughts.journal.empty();
  const std::string journal =
      is_in_memory ? std::string(kMemoryJournal)
                   : store::shown_place(options.thoughts.journal);
  ASSIGN_OR_RETURN(const std::unique_ptr<server::HttpFront> front,
                   server::HttpFront::open(std::move(options), context.clock));
  RETURN_IF_ERROR(check_access(flags, *front));
  ASSIGN_OR_RETURN(
      const std::unique_ptr<net::HttpServer> http,
      net::HttpServer::start(
          {.address = flags.host,
           .port = flags.port,
           .max_body_bytes = static_cast<std::size_t>(flags.max_upload) << 20,
           .max_total_unfinished_bytes =
               static_cast<std::size_t>(flags.upload_memory) << 20},
          [&](net::HttpRequest request,
              const std::shared_ptr<net::HttpExchange>& exchange) {
            front->handle(std::move(request), exchange);
          },
          front->gate()));
  announce(flags, http->port(), journal, context);
  // The server's threads do the work; this thread waits for a signal.
  while (!context.cancel.wait_for(std::chrono::hours(1))) {
  }
  // End the streams first, so that their connections can close in time.
  front->stop();
  http->stop(std::chrono::seconds(2));
  return is_in_memory ? Result<void>(memory_journal_lost()) : Result<void>();
}

}  // namespace

Command serve_command() {
  return {
      .name = "serve",
      .summary = "Serve the page, MCP and the HTTP interface",
      .description =
          "Serves the page at /, the tools of `lamarck mcp` at /mcp "
          "(Streamable HTTP), runs, thoughts, skills and agents at /api/v1 "
          "(described by "
          "/api/v1/openapi.json), Prometheus metrics at /metrics and a "
          "health check at /healthz, and learns skills in the background. "
          "To accept connections from other machines, set --host and "
          "LAMARCK_SERVE_TOKEN, or create tokens with `lamarck serve token "
          "create`; each belongs to an organization and has a role. Once "
          "there is a token, every request except /healthz must send "
          "`Authorization: Bearer TOKEN`. Runs that clients start are "
          "child processes; those that a shutdown or a crash interrupts "
          "resume at the next start. A request has at most 4 MB, an upload "
          "--max-upload, and must be complete within 60 s. If unfinished "
          "requests hold more than --upload-memory "
          "together, the largest and oldest are rejected with status 503. "
          "Beyond --max-sessions, or a quarter of it from one address, a "
          "session of the client that has most is closed.",
      .example = "lamarck serve --port 8420",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<ServeFlags>();
        add_journal_flag(app, flags->db);
        add_skills_flag(app, flags->skills);
        add_option(app, "--host", &flags->host,
                   "Address to listen on (default: 127.0.0.1)",
                   {.type = "ADDRESS"});
        add_option(app, "--port", &flags->port,
                   "Port to listen on; 0 picks a free one (default: 8420)",
                   {.type = "N", .problem = port_problem});
        add_option(app, "--name", &flags->names,
                   "Host name that clients may use; may be repeated",
                   {.type = "NAME", .is_repeatable = true});
        add_option(app, "--allow-host", &flags->allowed_hosts,
                   "Host that agents may call: api.example.com, *.example.com",
                   {.type = "HOST", .is_repeatable = true});
        add_option(app, "--max-sessions", &flags->max_sessions,
                   "MCP sessions at the same time (default: 1000)",
                   {.type = "N", .range = {{1, 100'000}}});
        add_option(app, "--upload-memory", &flags->upload_memory,
                   "Memory for unfinished requests, in MB (default: 64)",
                   {.type = "N", .range = {{8, 65'536}}});
        add_option(app, "--max-upload", &flags->max_upload,
                   "Largest table that clients may upload, in MB (default: "
                   "32)",
                   {.type = "N", .range = {{4, 1'024}}});
        add_switch(app, "--no-sync", flags->no_sync,
                   "Answer before data is on disk; a power cut may lose it");
        add_switch(app, "--allow-private-webhooks",
                   flags->allows_private_webhooks,
                   "Let webhooks connect to private addresses");
        return [flags](CommandContext& context) {
          return run_serve(*flags, context);
        };
      },
      .subcommands = {serve_token_command()}};
}

}  // namespace lamarck::cli
