// Runs Needle for comparisons: write_needle MODEL-FOLDER REQUESTS-FILE. Reads
// {"texts": [...], "requests": [{"query", "tools"}]} and prints
//   tokens    of each text, and `decoded`, the text of those tokens
//   inputs    tokens that the encoder reads, for each request
//   hidden    the encoder's output
//   outputs   tokens of greedy decoding without constraints
//   scores    of all tokens at each step of that, for the first request
//   seconds   for each request.

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/text/needle/needle_model.h"

int main(int argc, char** argv) {
  using namespace lamarck;
  if (argc != 3) return 2;
  const auto model = text::NeedleModel::open(argv[1]);
  if (!model) {
    std::cerr << model.error().message() << "\n";
    return 1;
  }
  const auto asked = nlohmann::json::parse(read_file(argv[2]).value());
  const text::SentencePieceTokenizer& tokenizer = (*model)->tokenizer();
  nlohmann::json out;
  for (const auto& text : asked["texts"]) {
    const auto tokens = tokenizer.encode(text.get<std::string>());
    out["tokens"].push_back(tokens);
    out["decoded"].push_back(tokenizer.decode(tokens));
  }
  for (const auto& request : asked["requests"]) {
    const auto input =
        (*model)->input_tokens(request["query"].get<std::string>(),
                               request["tools"].get<std::string>(), 1024);
    const auto begin = std::chrono::steady_clock::now();
    const auto written = (*model)->write_freely(input, 256, {}).value();
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    out["inputs"].push_back(input);
    out["outputs"].push_back(written);
    out["seconds"].push_back(taken.count());
    const auto memory = (*model)->network().read(input, {}).value();
    out["hidden"].push_back(memory.hidden);
    if (out.contains("scores")) continue;
    out["scores"] = nlohmann::json::array();
    text::NeedleNetwork::Writer writer((*model)->network(), memory);
    std::int32_t token = 1;
    for (std::size_t i = 0; i <= written.size(); ++i) {
      const auto scores = writer.write(token);
      out["scores"].push_back(std::vector<float>(scores.begin(), scores.end()));
      if (i < written.size()) token = written[i];
    }
  }
  std::cout << out << "\n";
}
