#include "lamarck/crew/crew_chain_fixture.h"

#include <stdexcept>
#include <vector>

#include "lamarck/base/macros.h"
#include "lamarck/crew/byte_stream.h"

namespace lamarck::crew {
namespace {

std::uint64_t next_value(std::uint64_t value, std::size_t index) {
  value = (value + index + 1) * 0x9e3779b97f4a7c15;
  return value ^ (value >> 29);
}

std::uint64_t joined(const std::vector<std::uint64_t>& values) {
  std::uint64_t result = 0;
  for (const std::uint64_t value : values)
    result = next_value(result ^ value, 0);
  return result;
}

std::string as_bytes(std::uint64_t value) {
  ByteWriter out;
  out.add_bits(value);
  return out.take();
}

}  // namespace

std::uint64_t chain_result(const Chains& chains) {
  std::vector<std::uint64_t> values(chains.count, 0);
  for (std::uint64_t step = 0; step < chains.steps; ++step) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = next_value(values[i], i);
    }
  }
  return joined(values);
}

Result<std::uint64_t> share_chains(Crew& crew, const Chains& chains) {
  // What this process computed last.
  std::vector<std::uint64_t> own(chains.count, 0);
  const Work work = [&](std::size_t index, std::string_view input) {
    if (chains.work) chains.work();
    if (!input.empty()) own.at(index) = ByteReader(input).bits();
    own.at(index) = next_value(own[index], index);
    return as_bytes(own[index]);
  };
  if (!crew.is_leader()) {
    ASSIGN_OR_RETURN(const std::string summary, crew.serve(work));
    return ByteReader(summary).bits();
  }
  std::vector<std::uint64_t> values(chains.count, 0);
  for (std::uint64_t step = 0; step < chains.steps; ++step) {
    ASSIGN_OR_RETURN(const std::vector<std::string> results,
                     crew.map({.count = chains.count,
                               .input =
                                   [&](std::size_t index, bool is_home) {
                                     return is_home ? ""
                                                    : as_bytes(values[index]);
                                   },
                               .keeps_homes = true,
                               .work = work,
                               .should_stop = {}}));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = ByteReader(results[i]).bits();
    }
  }
  RETURN_IF_ERROR(crew.end_stage(as_bytes(joined(values))));
  return joined(values);
}

}  // namespace lamarck::crew
