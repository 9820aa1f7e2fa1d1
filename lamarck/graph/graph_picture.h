// Graphs in a readable form: a text summary, Graphviz DOT and SVG.

#pragma once

#include <string>

#include "lamarck/graph/graph.h"

namespace lamarck {

// One line per node in the order of computation, then the number of parameters.
std::string summary(const Graph& graph);

// For Graphviz: `dot -Tsvg`.
std::string to_dot(const Graph& graph);

// Inputs are on the left, results on the right; recurrent edges are dashed.
std::string to_svg(const Graph& graph);

}  // namespace lamarck
