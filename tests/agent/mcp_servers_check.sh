#!/usr/bin/env bash
# Tests the MCP client with public servers: mcp_servers_check.sh LAMARCK
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" agent
exec python3 "$root/tests/agent/mcp_servers_check.py" "$1" "$root/build/npm/node_modules"
