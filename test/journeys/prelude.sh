# What every line of a journey may use. PRODUCT is the folder of the product, SINK the address of the webhooks.
export PRODUCT SINK W="${W:-$(mktemp -d)}"
export HOME="$W" ROLLCALL_HOME="$W/home" TMUX_TMPDIR="$W/tmux" USER_ID="$(id -u)" NO_COLOR=1 PATH="$W/bin:$PATH"
unset TMUX ROLLCALL_AGENT ROLLCALL_CYCLE

# A home, programs and a tmux server of the journey's own.
prepare() {
  mkdir -p "$W/bin" "$W/tmux" && mkdir -m 700 "$ROLLCALL_HOME" && mkdir -m 700 "$ROLLCALL_HOME/beats"
  echo secret > "$W/secret" && chmod 600 "$W/secret"
  printf '#!/bin/sh\nexec node "%s/bin/rollcall.js" "$@"\n' "$PRODUCT" > "$W/bin/rollcall"
  printf '#!/bin/sh\nrm -f "%s/$1.pid"\nexec setsid "%s/bin/fake-worker" "%s/$1.pid" > /dev/null 2>&1 < /dev/null &\n' "$W" "$W" "$W" > "$W/bin/start-worker"
  ln -s "$PRODUCT/bin/rollcall-beat" "$W/bin/rollcall-beat"
  ln -s "$JOURNEYS/fake-agent.cjs" "$W/bin/claude"
  ln -s "$JOURNEYS/fake-worker.sh" "$W/bin/fake-worker"
  printf 'PS1="dev@host:\\w\\$ "\n' > "$W/.bashrc"
  chmod +x "$W/bin/rollcall" "$W/bin/start-worker"
}

patiently() {
  TRIES=0
  until "$@"; do
    TRIES=$((TRIES + 1))
    [ "$TRIES" -lt 600 ] || { echo "journey: waited in vain for: $*" >&2; return 1; }
    sleep 0.1
  done
}

watcher() { head -n 1 "$ROLLCALL_HOME/rollcall.pid"; }
url() { sed -n 's/.*"url": *"\([^"]*\)".*/\1/p' "$ROLLCALL_HOME/rollcall.pid"; }
is_gone() { ! kill -0 "$1" 2> /dev/null; }

# Waits until the watcher that is started has opened its database: soon it will have read what is in it.
has_begun() { P="$(watcher 2> /dev/null)" && [ -n "$P" ] && ls -l "/proc/$P/fd" 2> /dev/null | grep -q 'rollcall\.db'; }
begun() { until has_begun; do :; done; }
hold_up() { kill -STOP "$P"; (sleep 1; kill -CONT "$P") & }

# Waits until a screen shows a text.
is_shown() { tmux capture-pane -p -t "$1" | grep -qF "$2"; }
shows() { patiently is_shown "$1" "$2"; }

# The program in a session: the pane's own command, or the child of its shell.
program() {
  P="$(tmux display-message -p -t "$1" '#{pane_pid}')"
  if tr '\0' ' ' < "/proc/$P/cmdline" 2> /dev/null | grep -q claude; then echo "$P"; else
    for C in $(cat "/proc/$P/task/$P/children" 2> /dev/null); do echo "$C"; done
  fi
}
has_ended() { [ "$(tmux display-message -p -t "$1" '#{pane_dead}')" = 1 ] || [ -z "$(program "$1")" ]; }
ended() { patiently has_ended "$1"; }

# Waits until a ladder has started the pane's own program again.
is_back() { [ "$(tmux display-message -p -t "$1" '#{pane_dead}')" = 0 ] && is_shown "$1" 'for shortcuts'; }
back() { patiently is_back "$1"; }

# The process that wrote a PID file.
has_worker() { [ -s "$W/$1.pid" ] && ! is_gone "$(cat "$W/$1.pid")"; }
is_another() { has_worker "$1" && [ "$(cat "$W/$1.pid")" != "$2" ]; }
worker() { patiently has_worker "$1" && cat "$W/$1.pid"; }
cycled() { patiently is_gone "$(cat "$W/$1.run")"; }
