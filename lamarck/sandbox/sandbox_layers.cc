#include "lamarck/sandbox/sandbox_layers.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "lamarck/sandbox/process_sandbox.h"

namespace lamarck {
namespace {

struct LayerPurpose {
  const char* name;
  const char* purpose;
};

constexpr std::array kLayers = {
    LayerPurpose{"namespaces",
                 "access to other processes, the network and most files"},
    LayerPurpose{"seccomp", "system calls that programs do not need"},
    LayerPurpose{"no_new_privs", "privileges through setuid programs"},
    LayerPurpose{"rlimits",
                 "memory, time, files and processes beyond the limits"},
    LayerPurpose{"landlock", "files outside the program's folder"},
    LayerPurpose{"own_user", "root privileges"},
};

SandboxLayer describe_layer(const LayerPurpose& layer,
                            const ProcessSandbox& sandbox) {
  if (std::ranges::find(sandbox.layers(), layer.name) !=
      sandbox.layers().end()) {
    return {layer.name, layer.purpose, true, "works"};
  }
  const auto& missing = sandbox.missing_layers();
  const auto why = std::ranges::find(missing, layer.name,
                                     &ProcessSandbox::MissingLayer::name);
  return {layer.name, layer.purpose, false,
          why == missing.end() ? "missing" : why->detail};
}

}  // namespace

std::vector<SandboxLayer> sandbox_layers() {
  const auto sandbox = ProcessSandbox::open({.required = {},
                                             .requires_hidden_files = false,
                                             .requires_process_limit = false});
  std::vector<SandboxLayer> layers;
  for (const LayerPurpose& layer : kLayers) {
    if (layer.name == std::string_view("own_user") && geteuid() != 0) continue;
    layers.push_back(sandbox ? describe_layer(layer, **sandbox)
                             : SandboxLayer{layer.name, layer.purpose, false,
                                            sandbox.error().message()});
  }
  return layers;
}

}  // namespace lamarck
