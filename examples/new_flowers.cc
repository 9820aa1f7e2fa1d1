// Encodes a table, trains on it, and applies the saved encoding to new rows.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "lamarck/data/csv.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;

constexpr const char* kFlowers = R"(id;petal_length;petal_width;garden;species
1;1,4;0,2;north;setosa
2;1,3;0,3;south;setosa
3;1,7;0,4;south;setosa
4;4,7;1,4;north;versicolor
5;4,0;1,3;north;versicolor
6;NA;1,5;south;versicolor
7;6,0;2,5;north;virginica
8;5,9;2,1;south;virginica
9;5,6;1,8;north;virginica
)";

constexpr const char* kNewFlowers = R"(garden;petal_width;petal_length
west;0,3;1,5
north;2,4;
south;1,3;4,2
)";

int main() {
  const auto table = data::parse_csv(kFlowers).value();
  const auto encoding =
      data::TableEncoding::fit(table, {.target = "species"}).value();
  for (const auto& [name, reason] : encoding.dropped()) {
    std::printf("dropped: %s %s\n", name.c_str(), reason.c_str());
  }
  const data::Dataset flowers = encoding.dataset(table).value();

  Graph graph(42);
  const Var x = graph.input(flowers.inputs());
  const Var y = graph.input(flowers.targets());
  const nn::Linear layer(graph, std::ssize(encoding.input_names()), 3, "layer");
  const Var logits = layer(x);
  const Var loss = logits.cross_entropy(y);
  optim::Adam adam(nn::parameters(layer), 0.05f);
  for (int step = 0; step < 200; ++step) adam.minimize(loss);

  const std::string kept = dump_json(encoding.to_json());
  const auto again =
      data::TableEncoding::from_json(parse_json(kept).value()).value();
  const auto rows = again.encode(data::parse_csv(kNewFlowers).value()).value();
  for (const std::string& remark : rows.remarks) {
    std::printf("remark: %s\n", remark.c_str());
  }
  x.set_value(rows.inputs);
  logits.forward();
  const data::Column species = again.decode(logits.value());
  std::printf("%s", data::to_csv(data::Table({species})).c_str());
}
