// The folder graph: expressions, gradients, model files.

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <sstream>
#include <string>
#include <vector>

#include "lamarck/graph/graph.h"
#include "lamarck/graph/graph_file.h"
#include "lamarck/graph/graph_picture.h"
#include "lamarck/graph/onnx_export.h"
#include "lamarck/graph/onnx_import.h"
#include "python/bindings/array_tensors.h"
#include "python/bindings/bindings.h"
#include "python/bindings/python_error.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using VarClass = py::class_<Var>;

constexpr const char* kVarDoc =
    R"(A node of a graph. Operators and methods make new nodes, and nothing is
computed before it is asked for.

>>> import lamarck
>>> graph = lamarck.Graph()
>>> x = graph.input([[1.0, 2.0]])
>>> y = (3 * x).sum()
>>> y.item()
9.0
>>> x.set([[10, 20]])
>>> y.forward(); y.item()
90.0)";

constexpr const char* kGraphDoc =
    R"(A graph of computations, of which gradients are known. The seed determines the
initial values of parameters. Values may be arrays, sequences, or anything with
DLPack's interface.

>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> w = graph.parameter([2.0], "w")
>>> loss = (w * w).sum()
>>> loss.backward()
4.0
>>> w.grad()
array([4.], dtype=float32))";

constexpr const char* kConcatDoc = R"(Joins nodes along an axis that they have.

>>> import lamarck
>>> graph = lamarck.Graph()
>>> x = graph.input([[1, 2]])
>>> lamarck.concat([x, 10 * x], axis=1).numpy()
array([[ 1.,  2., 10., 20.]], dtype=float32))";

constexpr const char* kStackDoc = R"(Joins nodes along a new axis.

>>> import lamarck
>>> graph = lamarck.Graph()
>>> x = graph.input([1, 2])
>>> lamarck.stack([x, 10 * x], axis=0).numpy()
array([[ 1.,  2.],
       [10., 20.]], dtype=float32))";

// Runs of small graphs take microseconds, less than other threads of Python
// could use, so only large ones release the GIL.
constexpr std::int64_t kManyParameters = 10'000;

float backward(const Var& var, bool retain_graph) {
  if (var.graph().parameter_count() < kManyParameters) {
    return var.backward(retain_graph);
  }
  const py::gil_scoped_release release;
  return var.backward(retain_graph);
}

void forward(const Var& var) {
  if (var.graph().parameter_count() < kManyParameters) {
    var.forward();
    return;
  }
  const py::gil_scoped_release release;
  var.forward();
}

py::array values(const Var& var) {
  if (!var.has_value()) forward(var);
  return to_array(var.value());
}

void bind_functions(VarClass& var) {
  for (const char* name : {"relu", "sigmoid", "tanh", "step", "gelu", "silu",
                           "softplus", "exp", "log", "sqrt", "square", "abs"}) {
    var.def(name, [name](const Var& x) { return x.apply(name); });
  }
  var.def("leaky_relu", &Var::leaky_relu, "alpha"_a = 0.01f)
      .def("elu", &Var::elu, "alpha"_a = 1.0f)
      .def("pow", &Var::pow, "exponent"_a)
      .def("clamp", &Var::clamp, "low"_a, "high"_a)
      .def("softmax", &Var::softmax, "axis"_a = -1)
      .def("log_softmax", &Var::log_softmax, "axis"_a = -1);
}

void bind_shapes(VarClass& var) {
  using Axes = std::vector<std::int64_t>;
  var.def("matmul", &Var::matmul, "right"_a)
      .def("__matmul__", &Var::matmul)
      .def("transpose", [](const Var& x) { return x.transpose(); })
      .def(
          "transpose",
          [](const Var& x, std::int64_t first, std::int64_t second) {
            return x.transpose(first, second);
          },
          "first"_a, "second"_a)
      .def(
          "permute",
          [](const Var& x, const Axes& axes) {
            return x.permute(std::span<const std::int64_t>(axes));
          },
          "axes"_a)
      .def(
          "reshape",
          [](const Var& x, const Axes& sizes) {
            return x.reshape(std::span<const std::int64_t>(sizes));
          },
          "sizes"_a)
      .def("flatten", &Var::flatten)
      .def("unsqueeze", &Var::unsqueeze, "axis"_a)
      .def("squeeze", &Var::squeeze, "axis"_a)
      .def("slice", &Var::slice, "axis"_a, "begin"_a, "end"_a)
      .def("select", &Var::select, "axis"_a, "index"_a)
      .def("gather", &Var::gather, "axis"_a, "indices"_a)
      .def("pad", &Var::pad, "axis"_a, "before"_a, "after"_a, "value"_a = 0.0f)
      .def(
          "max_pool2d",
          [](const Var& x, std::int64_t kernel) {
            return x.max_pool2d(kernel);
          },
          "kernel"_a)
      .def(
          "avg_pool2d",
          [](const Var& x, std::int64_t kernel) {
            return x.avg_pool2d(kernel);
          },
          "kernel"_a)
      .def("embedding", &Var::embedding, "indices"_a);
}

// A reduction over all elements or along an axis.
template <class All, class Along>
void bind_reduction(VarClass& var, const char* name, All all, Along along) {
  var.def(
      name,
      [all, along](const Var& x, std::optional<std::int64_t> axis,
                   bool keepdim) {
        return axis ? (x.*along)(*axis, keepdim) : (x.*all)();
      },
      "axis"_a = py::none(), "keepdim"_a = false);
}

void bind_reductions(VarClass& var) {
  using All = Var (Var::*)() const;
  using Along = Var (Var::*)(std::int64_t, bool) const;
  bind_reduction(var, "sum", All(&Var::sum), Along(&Var::sum));
  bind_reduction(var, "mean", All(&Var::mean), Along(&Var::mean));
  bind_reduction(var, "max", All(&Var::max), Along(&Var::max));
  bind_reduction(var, "min", All(&Var::min), Along(&Var::min));
  bind_reduction(var, "argmax", All(&Var::argmax), Along(&Var::argmax));
  var.def("mse", &Var::mse, "target"_a)
      .def("mae", &Var::mae, "target"_a)
      .def("huber", &Var::huber, "target"_a, "delta"_a = 1.0f)
      .def("cross_entropy", &Var::cross_entropy, "target"_a)
      .def("bce", &Var::bce, "target"_a)
      .def("bce_with_logits", &Var::bce_with_logits, "target"_a)
      .def("masked_mean", &Var::masked_mean, "mask"_a);
}

void bind_operators(VarClass& var) {
  var.def(py::self + py::self)
      .def(py::self + float())
      .def(float() + py::self)
      .def(py::self - py::self)
      .def(py::self - float())
      .def(float() - py::self)
      .def(py::self * py::self)
      .def(py::self * float())
      .def(float() * py::self)
      .def(py::self / py::self)
      .def(py::self / float())
      .def(float() / py::self)
      .def(-py::self)
      .def("__pow__", &Var::pow)
      .def(py::self > py::self)
      .def(py::self > float())
      .def(py::self < py::self)
      .def(py::self < float());
}

void bind_var(py::module_& module) {
  VarClass var(module, "Var", kVarDoc);
  var.def("forward", &forward)
      .def("backward", &backward, "retain_graph"_a = false)
      .def("numpy", &values)
      .def(
          "__array__",
          [](const Var& x, const py::object& dtype) -> py::object {
            const py::array array = values(x);
            return dtype.is_none() ? py::object(array)
                                   : array.attr("astype")(dtype);
          },
          "dtype"_a = py::none())
      .def("__dlpack__",
           [](const Var& x, const py::kwargs& options) {
             return values(x).attr("__dlpack__")(**options);
           })
      .def("__dlpack_device__",
           [](const Var& x) { return values(x).attr("__dlpack_device__")(); })
      .def(
          "set",
          [](const Var& x, const py::object& value) {
            const Floats array = to_floats(value);
            x.set_value(view_tensor(array));
          },
          "value"_a)
      .def("item",
           [](const Var& x) {
             if (!x.has_value()) forward(x);
             return x.item();
           })
      .def("grad", [](const Var& x) { return to_array(x.grad()); })
      .def("zero_grad", &Var::zero_grad)
      .def("detached", &Var::detached)
      .def("graph", &Var::graph)
      .def_property("name", &Var::name,
                    [](const Var& x, const std::string& n) { x.set_name(n); })
      .def_property_readonly("shape",
                             [](const Var& x) {
                               const Shape shape = x.shape();
                               py::tuple sizes(shape.rank());
                               for (std::size_t i = 0; i < shape.rank(); ++i) {
                                 sizes[i] = shape[i];
                               }
                               return sizes;
                             })
      .def("__repr__", [](const Var& x) {
        std::ostringstream out;
        out << x;
        return out.str();
      });
  bind_functions(var);
  bind_shapes(var);
  bind_reductions(var);
  bind_operators(var);
}

void bind_graphs(py::module_& module) {
  py::class_<Graph>(module, "Graph", kGraphDoc)
      .def(py::init<std::uint64_t>(), "seed"_a = 0)
      .def(
          "input",
          [](const Graph& graph, const py::object& value,
             const std::string& name) {
            const Floats array = to_floats(value);
            return graph.input_named(view_tensor(array), name);
          },
          "value"_a, "name"_a = "")
      .def(
          "constant",
          [](const Graph& graph, const py::object& value) {
            return graph.constant(to_tensor(to_floats(value)));
          },
          "value"_a)
      .def(
          "parameter",
          [](const Graph& graph, const py::object& value,
             const std::string& name) {
            const Floats array = to_floats(value);
            const Tensor tensor = view_tensor(array);
            Var made = graph.parameter(tensor.shape(), Init::constant(0), name);
            made.set_value(tensor);
            return made;
          },
          "value"_a, "name"_a)
      .def("parameters", &Graph::parameters)
      .def("parameter_count", &Graph::parameter_count)
      .def("node_count", &Graph::node_count)
      .def("named", &Graph::named, "name"_a)
      .def("zero_grad", &Graph::zero_grad)
      .def("set_threads", &Graph::set_threads, "threads"_a)
      .def(
          "save",
          [](const Graph& graph, const std::string& path) {
            take(save_model(path, graph));
          },
          "path"_a)
      .def_static(
          "load",
          [](const std::string& path) { return take(load_model(path)).graph; },
          "path"_a)
      .def(
          "onnx",
          [](const Graph&, const std::vector<Var>& outputs) {
            return py::bytes(take(onnx_bytes(outputs)));
          },
          "outputs"_a)
      .def("dot", [](const Graph& graph) { return to_dot(graph); })
      .def(py::pickle(
          [](const Graph& graph) { return py::bytes(model_to_bytes(graph)); },
          [](const py::bytes& bytes) {
            return take(model_from_bytes(std::string(bytes))).graph;
          }));
}

}  // namespace

void bind_graph(py::module_& module) {
  bind_var(module);
  bind_graphs(module);
  module.def(
      "concat",
      [](const std::vector<Var>& parts, std::int64_t axis) {
        return concat(parts, axis);
      },
      "parts"_a, "axis"_a, kConcatDoc);
  module.def(
      "stack",
      [](const std::vector<Var>& parts, std::int64_t axis) {
        return stack(parts, axis);
      },
      "parts"_a, "axis"_a, kStackDoc);
}

}  // namespace lamarck::python
