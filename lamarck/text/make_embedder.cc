#include "lamarck/text/make_embedder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/text/endpoint_embedder.h"
#include "lamarck/text/lexical_embedder.h"
#include "lamarck/text/minilm_embedder.h"

namespace lamarck::text {
namespace {

using MadeEmbedder = Result<std::shared_ptr<Embedder>>;

MadeEmbedder make_lexical(const EmbedderSettings&, const CancelToken&) {
  return std::shared_ptr<Embedder>(std::make_shared<LexicalEmbedder>());
}

MadeEmbedder make_minilm(const EmbedderSettings& settings, const CancelToken&) {
  ASSIGN_OR_RETURN(auto embedder, MiniLmEmbedder::open(settings.model_folder));
  return std::shared_ptr<Embedder>(std::move(embedder));
}

MadeEmbedder make_endpoint(const EmbedderSettings& settings,
                           const CancelToken& cancel) {
  if (settings.model == nullptr) {
    return invalid_argument(
        "The embedder 'endpoint' needs an embedding model; set its address and "
        "name, or use 'lexical'.");
  }
  ASSIGN_OR_RETURN(
      auto embedder,
      EndpointEmbedder::open(settings.model, settings.thresholds, cancel));
  return std::shared_ptr<Embedder>(std::move(embedder));
}

struct Entry {
  EmbedderInfo info;
  MadeEmbedder (*make)(const EmbedderSettings&, const CancelToken&);
};

constexpr std::array kEmbedders = {
    Entry{{"lexical", "Hashed words and parts of words; needs no model."},
          make_lexical},
    Entry{{"minilm",
           "all-MiniLM-L6-v2; fetch it with: lamarck models fetch "
           "minilm"},
          make_minilm},
    Entry{{"endpoint", "A model behind an OpenAI-compatible endpoint."},
          make_endpoint},
};

}  // namespace

Result<std::shared_ptr<Embedder>> make_embedder(
    const EmbedderSettings& settings, const CancelToken& cancel) {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEmbedders) {
    if (entry.info.name == settings.name) return entry.make(settings, cancel);
    names.push_back(entry.info.name);
  }
  const std::string last(names.back());
  names.pop_back();
  return invalid_argument("Unknown embedder " + in_quotes(settings.name) +
                          "; use " + join_text(names, ", ") + " or " + last +
                          ".");
}

std::vector<EmbedderInfo> known_embedders() {
  std::vector<EmbedderInfo> infos;
  for (const Entry& entry : kEmbedders) infos.push_back(entry.info);
  return infos;
}

}  // namespace lamarck::text
