#!/bin/sh
# Sends what Claude Code says at an event to Trackway. It takes its input first and sends from the background: Claude Code
# waits for nothing and hears of no failure. The key goes to curl through a file descriptor, never on a command line.
body=$(cat)
trap "" HUP
{
  if [ -n "$TRACKWAY_INGEST_KEY" ]; then
    printf %s "$body" | curl -q -K /dev/fd/3 --data-binary @- 3<<CURL
url = "${TRACKWAY_URL:-http://127.0.0.1:4000}/api/v1/hooks/claude-code?host=$(uname -n)"
header = "x-api-key: $TRACKWAY_INGEST_KEY"
header = "content-type: application/json"
header = "Expect:"
silent
connect-timeout = 3
max-time = 10
CURL
  else
    printf %s "$body" | curl -q -K "${XDG_CONFIG_HOME:-$HOME/.config}/trackway/agents/claude-code/hook.curl" --data-binary @-
  fi
} >/dev/null 2>&1 &
