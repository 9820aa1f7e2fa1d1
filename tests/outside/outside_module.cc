// Uses a graph, a tensor and kernels, so that the linker needs their object
// files.

#include "lamarck/lamarck.h"

extern "C" int outside_module_answer() {
  using namespace lamarck;
  Graph graph(1);
  const Var x = graph.input(Tensor::rows({{1, 2}, {3, 4}}));
  const Var y = x.matmul(x).sum();
  y.forward();
  return static_cast<int>(y.value().item());
}
