// The mutations of layers. mutation.cc lists them in mutation_table.
//
// Layers and units are added with outgoing weights of 0, so the network
// computes the same as before until it is trained.

#pragma once

#include "lamarck/evolution/mutation.h"

namespace lamarck::evolution {

bool can_add_dense(const Network& network, const MutationLimits& limits);
void add_dense(Network& network, const MutationLimits& limits, Rng& rng);

bool can_add_conv(const Network& network, const MutationLimits& limits);
void add_conv(Network& network, const MutationLimits& limits, Rng& rng);

bool can_add_cell(const Network& network, const MutationLimits& limits);
void add_lstm(Network& network, const MutationLimits& limits, Rng& rng);
void add_gru(Network& network, const MutationLimits& limits, Rng& rng);

bool can_widen(const Network& network, const MutationLimits& limits);
void widen(Network& network, const MutationLimits& limits, Rng& rng);
// The mutation "narrow": removes units from a layer.
bool can_shrink(const Network& network, const MutationLimits& limits);
void shrink(Network& network, const MutationLimits& limits, Rng& rng);

bool can_change_activation(const Network& network,
                           const MutationLimits& limits);
void change_activation(Network& network, const MutationLimits& limits,
                       Rng& rng);
bool can_change_aggregation(const Network& network,
                            const MutationLimits& limits);
void change_aggregation(Network& network, const MutationLimits& limits,
                        Rng& rng);

}  // namespace lamarck::evolution
