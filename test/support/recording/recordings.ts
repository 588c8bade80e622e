import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { callRestApi, type Tenant } from "../server.ts";
import { createEvent } from "./ingest.ts";
import { buildSpansRequest } from "./telemetry.ts";

/** Request of a recording interface. Every free text in the request contains a marker. */
export interface Recording {
  path: string;
  body: object;
}

/**
 * Members and attributes that identify the kind of a report. With another value the server would not recognize the
 * report.
 */
const KEPT = new Set([
  ...[
    "hook_event_name",
    "event.name",
    "span.type",
    "gen_ai.operation.name",
    "traceId",
    "spanId",
    "parentSpanId",
    "name",
  ],
  ...[
    "startTimeUnixNano",
    "endTimeUnixNano",
    "timeUnixNano",
    "observedTimeUnixNano",
    "key",
    "intValue",
    "service.name",
  ],
  ...[
    "event.timestamp",
    "session.id",
    "conversation.id",
    "gen_ai.conversation.id",
    "event.kind",
    "event_id",
    "session_id",
    "parent_id",
  ],
]);

/** Appends the marker to every text. */
function marked(value: unknown, marker: string, name = ""): unknown {
  if (typeof value === "string") return KEPT.has(name) ? value : value + marker;
  if (Array.isArray(value)) return value.map((each) => marked(each, marker, name));
  if (typeof value !== "object" || value === null) return value;
  const own = "key" in value && typeof value.key === "string" && KEPT.has(value.key) ? value.key : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, marked(each, marker, own ?? markedKey(key, name))]),
  );
}

const markedKey = (key: string, parent: string): string => (KEPT.has(parent) && key.endsWith("Value") ? parent : key);

const fixture = (path: string): object =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), "utf8"));

const HOOKS = {
  "claude-code": [
    ...["claude/01-session-start", "claude/02-user-prompt-submit", "claude/04-pre-tool-use", "claude/06-post-tool-use"],
    ...["claude/07-post-tool-use-failure", "claude/22-subagent-start", "claude/24-subagent-stop", "claude/09-stop"],
  ],
  codex: [
    "codex/01-session-start",
    "codex/02-user-prompt-submit",
    "codex/05-post-tool-use-failed-command",
    "codex/07-stop",
  ],
  "gemini-cli": [
    "gemini/01-session-start",
    "gemini/02-before-agent",
    "gemini/10-after-tool-failed-command",
    "gemini/11-after-agent",
  ],
};

const TELEMETRY = {
  traces: ["claude/10-otlp-traces", "codex/11-otlp-traces-1-cut", "gemini/13-otlp-traces"],
  logs: ["claude/11-otlp-logs", "codex/09-otlp-logs-1", "gemini/14-otlp-logs", "claude/32-error-otlp-logs"],
};

/**
 * Returns requests that plant a marker in every field of every interface. `run` separates the sessions of one call
 * from the sessions of other calls.
 */
export function createRecordings(marker: string, run = randomUUID()): Recording[] {
  const spelled = run;
  const event = (fields: object) =>
    createEvent({
      ...{ session_id: spelled, primitive_name: `Read${marker}`, primitive_type: "tool", args: marker, result: marker },
      ...{
        success: false,
        metadata: { [marker]: marker, deep: [{ [marker]: marker }], "gen_ai.request.model": marker },
      },
      ...fields,
    });
  const session = {
    session_id: spelled,
    user_data: { user_id: `user-${run}${marker}`, [marker]: { deep: marker } },
    metadata: { [marker]: [marker] },
    client_config: marker,
  };
  const hooks = Object.entries(HOOKS).flatMap(([agent, names]) =>
    names.map((name) => {
      const body = marked(fixture(`agents/${name}.json`), marker) as object;
      return { path: `/api/v1/hooks/${agent}`, body: { ...body, session_id: `${agent}-${run}` } };
    }),
  );
  const telemetry = Object.entries(TELEMETRY).flatMap(([signal, names]) =>
    names.map((name) => ({ path: `/v1/${signal}`, body: marked(fixture(`otlp/${name}.json`), marker) as object })),
  );
  return [
    { path: "/api/v1/capture-session", body: session },
    { path: "/api/v1/capture-event", body: event({}) },
    { path: "/api/v1/capture-events", body: { events: [event({}), event({ primitive_type: marker, success: true })] } },
    ...hooks,
    ...telemetry,
    {
      path: "/v1/traces",
      body: buildSpansRequest([
        {
          id: 1,
          trace: Number.parseInt(run.slice(0, 8), 16),
          at: {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": marker,
            "gen_ai.tool.call.arguments": marker,
          },
        },
      ]),
    },
  ];
}

/** Sends a request as a recording program does. */
export const sendRecording = ({ url, ingestKey }: Pick<Tenant, "url" | "ingestKey">, { path, body }: Recording) =>
  callRestApi(url, "POST", path, { body, headers: { "x-api-key": ingestKey } });
