#!/bin/sh
# Installs the watcher of this checkout or package as a systemd service; builds a checkout first if needed. The options are
# those of `rollcall install systemd`: --user, --system, --template, --print, --home DIR, --config FILE.
set -eu

root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)

# Under sudo the PATH is short: NODE names a node that is elsewhere.
node=${NODE:-$(command -v node || true)}
if [ -z "$node" ]; then
  echo "rollcall: there is no node on the PATH; install Node 20.19 or later, or name it: NODE=/path/of/node $0" >&2
  exit 1
fi
if ! [ -x "$node" ]; then
  echo "rollcall: $node cannot be executed" >&2
  exit 1
fi

# The installed service is this very node, and so is what builds it.
PATH=$(dirname -- "$node"):$PATH
export PATH

# A package that npm installed is built already and has no setup.js.
[ ! -e "$root/scripts/setup.js" ] ||
  (cd -- "$root" && "$node" --input-type=module -e 'import { setup } from "./scripts/setup.js"; setup();') >&2
exec "$node" "$root/bin/rollcall.js" install systemd "$@"
