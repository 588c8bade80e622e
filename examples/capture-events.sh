#!/usr/bin/env bash
# Records one turn of an agent. The client chooses the ids, so the server stores an event once even if it is sent twice.
set -euo pipefail
url=${TRACKER_URL:-http://127.0.0.1:4000}

curl -sS --fail-with-body "$url/api/v1/capture-events" \
  -H "x-api-key: $TRACKER_INGEST_KEY" -H "Content-Type: application/json" -d '{
  "events": [{
    "event_id": "0198c0de-0000-7000-8000-0000000000a1",
    "session_id": "0198c0de-0000-7000-8000-0000000000a0",
    "primitive_name": "shell-agent",
    "args": "Which tests failed?",
    "result": "None of 1,384."
  }]
}'
echo
