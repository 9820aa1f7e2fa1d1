// The lines of docs/howto/from-pytorch.md. Each comment `// torch:` states a
// line of PyTorch, and the code below it does the same; docs.snippets checks
// that the page has the same lines. One include brings in everything.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <vector>

#include "lamarck/lamarck.h"

namespace lamarck {
namespace {

using Values = std::vector<float>;

Values computed(const Var& var) {
  var.forward();
  return var.value().to_vector();
}

Shape shape_of(const Var& var) {
  var.forward();
  return var.value().shape();
}

TEST(FromPyTorch, Tensors) {
  Rng rng(7);
  // torch: torch.zeros(2, 3)
  const Tensor zeros = Tensor::zeros({2, 3});
  EXPECT_EQ(zeros.shape(), Shape({2, 3}));
  // torch: torch.tensor([[1., 2.], [3., 4.]])
  const Tensor a = Tensor::rows({{1, 2}, {3, 4}});
  EXPECT_EQ(a.to_vector(), (Values{1, 2, 3, 4}));
  // torch: torch.arange(6.).reshape(2, -1)
  const Tensor b = Tensor::range(6).reshape({2, -1});
  EXPECT_EQ(b.shape(), Shape({2, 3}));
  // torch: torch.empty(4).uniform_(-1, 1)
  const Tensor u = Tensor::uniform({4}, -1, 1, rng);
  EXPECT_LE(max(abs(u)).item(), 1);
  // torch: torch.normal(5., 2., (4,))
  const Tensor n = Tensor::normal({4}, 5, 2, rng);
  EXPECT_NE(n.at({0}), n.at({1}));
  // torch: a[-1, 0].item()
  EXPECT_EQ(a.at({-1, 0}), 3);
  // torch: a[:, 1]
  EXPECT_EQ(a.select(1, 1).to_vector(), (Values{2, 4}));
  // torch: b[:, 1:]
  EXPECT_EQ(b.slice(1, 1, kToEnd).to_vector(), (Values{1, 2, 4, 5}));
  // torch: 1 - a * 2
  EXPECT_EQ((1 - a * 2).to_vector(), (Values{-1, -3, -5, -7}));
  // torch: torch.sqrt(a)
  EXPECT_FLOAT_EQ(sqrt(a).at({0, 1}), std::sqrt(2.0f));
  // torch: a @ b
  EXPECT_EQ(matmul(a, b).to_vector(), (Values{6, 9, 12, 12, 19, 26}));
  // torch: a.mean(0, keepdim=True)
  EXPECT_EQ(mean(a, 0, true).shape(), Shape({1, 2}));
  // torch: a.argmax()
  EXPECT_EQ(argmax(a).item(), 3);
  // torch: (a == b[:, :2]).float().mean()
  EXPECT_EQ(mean(a == b.slice(1, 0, 2)).item(), 0.5f);
  // torch: torch.cat([a, b], 1)
  EXPECT_EQ(concat({a, b}, 1).shape(), Shape({2, 5}));
  // torch: b.permute(1, 0)
  EXPECT_EQ(b.permute({1, 0}).shape(), Shape({3, 2}));
  std::ostringstream out;
  // torch: print(a)
  out << a << "\n";
  EXPECT_EQ(out.str(), "[[1, 2],\n [3, 4]]\n");
  Tensor c = a.clone();
  // torch: c += 1
  c += 1;
  EXPECT_EQ(c.to_vector(), (Values{2, 3, 4, 5}));
}

TEST(FromPyTorch, Expressions) {
  // torch: torch.manual_seed(42)
  Graph graph(42);
  // torch: x = torch.tensor([[1., 2.], [3., 4.]])
  const Var x = graph.input(Tensor::rows({{1, 2}, {3, 4}}));
  // torch: w = torch.nn.Parameter(torch.ones(2, 3))
  const Var w = graph.parameter({2, 3}, Init::ones(), "w");
  // torch: x @ w
  EXPECT_EQ(computed(x.matmul(w)), (Values{3, 3, 3, 7, 7, 7}));
  // torch: torch.relu(2 - x)
  EXPECT_EQ(computed((2 - x).relu()), (Values{1, 0, 0, 0}));
  // torch: x.sum(1, keepdim=True)
  EXPECT_EQ(shape_of(x.sum(1, true)), Shape({2, 1}));
  // torch: x.amax(-1)
  EXPECT_EQ(computed(x.max(-1)), (Values{2, 4}));
  // torch: x.argmax()
  EXPECT_EQ(computed(x.argmax()), Values{3});
  // torch: torch.softmax(x, dim=0)
  EXPECT_NEAR(computed(x.softmax(0).sum(0))[1], 1, 1e-6);
  // torch: torch.log_softmax(x, dim=-1)
  EXPECT_NEAR(computed(x.log_softmax(-1).exp().sum())[0], 2, 1e-6);
  // torch: x.reshape(-1)
  EXPECT_EQ(shape_of(x.reshape({-1})), Shape({4}));
  // torch: x.permute(1, 0)
  EXPECT_EQ(computed(x.permute({1, 0})), (Values{1, 3, 2, 4}));
  // torch: x.transpose(0, -1)
  EXPECT_EQ(computed(x.transpose(0, -1)), (Values{1, 3, 2, 4}));
  // torch: x.unsqueeze(1)
  EXPECT_EQ(shape_of(x.unsqueeze(1)), Shape({2, 1, 2}));
  // torch: x[-1]
  EXPECT_EQ(computed(x.select(0, -1)), (Values{3, 4}));
  // torch: x[:, 1:]
  EXPECT_EQ(computed(x.slice(1, 1, kToEnd)), (Values{2, 4}));
  // torch: torch.cat([x, x], dim=1)
  EXPECT_EQ(shape_of(concat({x, x}, 1)), Shape({2, 4}));
  // torch: torch.stack([x, x])
  EXPECT_EQ(shape_of(stack({x, x}, 0)), Shape({2, 2, 2}));
  // torch: x.split([1, 1], dim=1)
  EXPECT_EQ(computed(x.split(1, {1, 1})[1]), (Values{2, 4}));
  // torch: (3 <= x).float()
  EXPECT_EQ(computed(3 <= x), (Values{0, 0, 1, 1}));
  // torch: (x == 2).float()
  EXPECT_EQ(computed(x == 2), (Values{0, 1, 0, 0}));
  // torch: torch.where(x > 2, x, -x)
  EXPECT_EQ(computed((x > 2) * x + (x <= 2) * -x), (Values{-1, -2, 3, 4}));
  // torch: x.clamp(2, 3)
  EXPECT_EQ(computed(x.clamp(2, 3)), (Values{2, 2, 3, 3}));
  // torch: torch.sin(x)
  EXPECT_NEAR(computed(x.apply("sin"))[0], std::sin(1.0f), 1e-6);
  // torch: total = 0; total += x
  Var total;
  total = x;
  total += x;
  EXPECT_EQ(computed(total), (Values{2, 4, 6, 8}));
  std::ostringstream out;
  // torch: print(x)
  out << x;
  EXPECT_EQ(out.str(), "[[1, 2],\n [3, 4]] (input)");
}

TEST(FromPyTorch, Gradients) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(3), "w");
  const Var loss = w * w;
  // torch: loss.backward()
  loss.backward();
  // torch: w.grad
  EXPECT_EQ(w.grad().item(), 6);
  // torch: w.grad = None
  w.zero_grad();
  EXPECT_FALSE(w.has_grad());
  loss.forward();  // A new pass.
  // torch: loss.backward(retain_graph=True)
  loss.backward(true);
  loss.backward();
  EXPECT_EQ(w.grad().item(), 12);
  w.zero_grad();
  // torch: w.detach() * w
  const Var blocked = w.detached() * w;
  blocked.backward();
  EXPECT_EQ(w.grad().item(), 3);
  // torch: with torch.no_grad(): fixed = w * w
  const Var fixed = graph.no_grad([&] { return w * w; });
  w.zero_grad();
  (fixed * w).backward();
  EXPECT_EQ(w.grad().item(), 9);
  // torch: w.requires_grad_(False)
  w.set_requires_grad(false);
  w.zero_grad();
  loss.forward();
  loss.backward();
  EXPECT_FALSE(w.has_grad());
}

TEST(FromPyTorch, Losses) {
  Graph graph;
  const Var p = graph.input(Tensor::rows({{0.5f, 2}}));
  const Var t = graph.input(Tensor::rows({{0, 1}}));
  // torch: F.mse_loss(p, t)
  EXPECT_FLOAT_EQ(computed(p.mse(t))[0], 0.625f);
  // torch: F.l1_loss(p, t)
  EXPECT_FLOAT_EQ(computed(p.mae(t))[0], 0.75f);
  // torch: F.huber_loss(p, t, delta=1.0)
  EXPECT_FLOAT_EQ(computed(p.huber(t, 1))[0], 0.3125f);
  // torch: F.cross_entropy(p, torch.tensor([1]))
  EXPECT_NEAR(computed(p.cross_entropy(t))[0], std::log1p(std::exp(-1.5f)),
              1e-6);
  // torch: F.binary_cross_entropy_with_logits(p, t)
  EXPECT_NEAR(computed(p.bce_with_logits(t))[0],
              (std::log1p(std::exp(0.5f)) + std::log1p(std::exp(-2.0f))) / 2,
              1e-6);
}

// torch: class Net(nn.Module): ...
struct Net : nn::Module {
  explicit Net(const Graph& graph)
      : hidden(graph, 2, 8, "hidden"),
        norm(graph, 8, "norm"),
        out(graph, 8, 1, "out") {}
  Var operator()(const Var& x) const { return out(norm(hidden(x)).relu()); }
  std::vector<const Module*> children() const override {
    return {&hidden, &norm, &out};
  }
  nn::Linear hidden;
  nn::BatchNorm norm;
  nn::Linear out;
};

TEST(FromPyTorch, Layers) {
  Graph graph;
  const Var x = graph.randn({4, 2});
  const Var image = graph.randn({4, 3, 8, 8});
  const Var series = graph.randn({5, 4, 2});
  // torch: nn.Linear(2, 3)
  const nn::Linear linear(graph, 2, 3, "linear");
  EXPECT_EQ(linear(x).shape(), Shape({4, 3}));
  // torch: nn.Conv2d(3, 6, 3, padding=1)
  const nn::Conv2d conv(graph, 3, 6, 3, "conv", {.padding = 1});
  EXPECT_EQ(conv(image).shape(), Shape({4, 6, 8, 8}));
  // torch: F.max_pool2d(image, 2)
  EXPECT_EQ(image.max_pool2d(2).shape(), Shape({4, 3, 4, 4}));
  // torch: nn.LSTM(2, 7)
  const nn::Lstm lstm(graph, 2, 7, "lstm");
  // torch: h, (h_n, c_n) = lstm(series)
  const auto [h, last] = lstm(series);
  EXPECT_EQ(h.shape(), Shape({5, 4, 7}));
  EXPECT_EQ(last[0].cell.shape(), Shape({4, 7}));
  // torch: nn.Embedding(10, 4)
  const nn::Embedding words(graph, 10, 4, "words");
  EXPECT_EQ(words(graph.zeros({3})).shape(), Shape({3, 4}));
  // torch: nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
  const nn::Sequential net({nn::Linear(graph, 2, 8, "fc1"), &Var::relu,
                            nn::Linear(graph, 8, 1, "fc2")});
  EXPECT_EQ(net(x).shape(), Shape({4, 1}));
  // torch: sum(p.numel() for p in net.parameters())
  EXPECT_EQ(net.parameter_count(), 33);
  const Net model(graph);
  // torch: model.train(); model.eval()
  model.train();
  model.eval();
  EXPECT_EQ(model.modes()[0].item(), 0);
  // torch: for name, p in model.named_parameters(): ...
  for (const auto& [name, p] : model.named_parameters()) {
    EXPECT_TRUE(p.is_parameter()) << name;
  }
  EXPECT_EQ(model.named_parameters()[0].first, "hidden.weight");
}

TEST(FromPyTorch, Training) {
  Graph graph(1);
  Rng rng(2);
  const Tensor inputs = Tensor::uniform({64, 2}, -1, 1, rng);
  const Tensor targets = sum(inputs, 1, true);
  const Net net(graph);
  const Var x = graph.zeros({16, 2});
  const Var y = graph.zeros({16, 1});
  const Var loss = net(x).mse(y);
  // torch: opt = torch.optim.AdamW(net.parameters(), lr=0.01)
  optim::AdamW opt(net.parameters(), 0.01f);
  // torch: torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=400)
  const optim::Schedule schedule("cosine", {.rate = 0.01f, .steps = 400});
  // torch: DataLoader(TensorDataset(inputs, targets), 16, shuffle=True)
  data::DataLoader loader({inputs, targets},
                          {.batch_size = 16, .shuffle = true});
  float first = 0;
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (const auto& [batch, labels] : loader) {
      // torch: x, y = batch, labels
      x.set_value(batch);
      y.set_value(labels);
      // torch: opt.zero_grad()
      opt.zero_grad();
      loss.backward();
      // torch: nn.utils.clip_grad_norm_(net.parameters(), 1.0)
      opt.clip_gradients(1);
      // torch: scheduler.step()
      schedule.apply(opt);
      // torch: opt.step()
      opt.step();
    }
    if (epoch == 0) first = loss.item();
  }
  // torch: loss.item()
  EXPECT_LT(loss.item(), first / 20);
  // torch: opt.zero_grad(); loss.backward(); opt.step()
  EXPECT_GT(opt.minimize(loss), 0);
}

TEST(FromPyTorch, Files) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / "from_pytorch";
  std::filesystem::create_directories(folder);
  Graph graph(3);
  const Net net(graph);
  const Var y = net(graph.input_named(Tensor::zeros({4, 2}), "x"));
  const Tensor before = net.hidden.weight().value();
  // torch: safetensors.torch.save_file(net.state_dict(), path)
  ASSERT_TRUE(
      write_safetensors(folder / "net.safetensors", named_weights(graph)));
  net.hidden.weight().set_value(Tensor::zeros({2, 8}));
  const NamedTensors weights =
      read_safetensors(folder / "net.safetensors").value();
  // torch: net.load_state_dict(weights)
  ASSERT_TRUE(set_weights(graph, weights));
  EXPECT_EQ(max_difference(net.hidden.weight().value(), before), 0);
  // torch: net.load_state_dict({"hidden.weight": w}, strict=False)
  EXPECT_TRUE(set_weights(graph, {{"hidden.weight", before}}, false));
  EXPECT_FALSE(set_weights(graph, {{"hidden.weight", before}}));
  // torch: torch.onnx.export(net, x, "net.onnx")
  ASSERT_TRUE(export_onnx(folder / "net.onnx", std::vector<Var>{y}));
  // torch: torch.save(net, "net.pt")
  ASSERT_TRUE(save_model(folder / "net.lmk", graph));
  // torch: net = torch.load("net.pt")
  EXPECT_TRUE(load_model(folder / "net.lmk"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lamarck
