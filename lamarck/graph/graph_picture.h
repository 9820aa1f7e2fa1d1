// Graphs for people: a text summary, Graphviz DOT, and SVG.

#pragma once

#include <string>

#include "lamarck/graph/graph.h"

namespace lamarck {

// A line for each node in the order of computation, and the parameters counted.
std::string summary(const Graph& graph);

std::string to_dot(const Graph& graph);

// From inputs on the left to results on the right; recurrent edges are dashed.
std::string to_svg(const Graph& graph);

}  // namespace lamarck
