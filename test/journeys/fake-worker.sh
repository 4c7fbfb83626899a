#!/bin/sh
# A program without a terminal: it writes its PID file ($1) and works until USR1 (exit 0), USR2 (exit 1) or a kill.
trap 'exit 0' USR1
trap 'exit 1' USR2
echo $$ > "$1.new" && mv "$1.new" "$1"
while :; do
  sleep 0.2
done
