#!/bin/sh
# Sends a Claude Code event to Trackway. Reads its input first and sends in the background, so that Claude Code never
# waits and sees no failure. curl gets the key through a file descriptor, because other users can see command lines.
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
