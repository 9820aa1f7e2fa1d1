// Pole balancing tasks for NEAT.

#pragma once

#include "lamarck/neat/neat_tasks.h"

namespace lamarck::neat {

// CartPole. Fitness is the mean number of steps from 5 starts; the task is
// solved when the mean from 100 other starts is at least 475.
NeatBenchmark cart_pole_benchmark();

// DoublePole with all 6 values of its state; the long pole starts at an angle
// of one degree. Fitness is the number of steps; 100,000 steps are a solution.
NeatBenchmark double_pole_benchmark();

// DoublePole with position and angles only, so the network must be recurrent.
// Fitness is Gruau's, which penalizes swinging: 0.1 t / 1000 + 0.9 d over at
// most 1,000 steps t, where d = 0.75 / the sum over the last 100 steps of |x| +
// |speed| + |angle| + |angular speed|, and 0 if t < 100. A solution lasts
// 100,000 steps and generalizes to at least 200 starts.
NeatBenchmark double_pole_no_velocity_benchmark();

// Returns from how many of 625 starts the network lasts 1,000 steps. The starts
// combine five values each of position, speed, angle and angular speed of the
// long pole. Stops early and returns less than `min_count` as soon as
// `min_count` cannot be reached.
int double_pole_generalization(FlatNetwork& network, int min_count = 0);

}  // namespace lamarck::neat
