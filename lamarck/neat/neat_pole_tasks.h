// Balancing as tasks for NEAT.

#pragma once

#include "lamarck/neat/neat_tasks.h"

namespace lamarck::neat {

// CartPole: fitness is the mean number of steps from 5 starts; solved when the
// mean from 100 other starts is 475 or more.
NeatBenchmark cart_pole_benchmark();

// DoublePole with all 6 numbers of its state, the long pole leaning by one
// degree: fitness is the number of steps; solved when it is 100,000.
NeatBenchmark double_pole_benchmark();

// DoublePole with positions and angles alone, so the network must remember.
// Fitness is Gruau's, which damps swinging: 0.1 t / 1000 + 0.9 d over at most
// 1,000 steps t, where d = 0.75 / the sum over the last 100 steps of |x| +
// |speed| + |angle| + |turn|, and 0 if t < 100. A solution lasts 100,000 steps
// and generalises from 200 starts or more.
NeatBenchmark double_pole_no_velocity_benchmark();

// From how many of 625 starts, five values for each of position, speed, angle
// and angular speed of the long pole, the network lasts 1,000 steps. If
// `least` cannot be reached any more, it ends early and returns less.
int double_pole_generalisation(FlatNetwork& network, int least = 0);

}  // namespace lamarck::neat
