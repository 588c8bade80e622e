import { readdirSync, readFileSync } from "node:fs";
import { createEvent } from "./ingest.ts";
import type { Recording } from "./recordings.ts";

/** Planted texts: `text` begins the marker of each field; `ids` is part of every id, so that equal ids stay equal. */
export interface PlantedTexts {
  text: string;
  ids: string;
  /** UUID that separates the sessions: capture endpoints accept only UUIDs as session ids. */
  run: string;
}

/** Request with markers, and the number of markers. */
export interface MarkedRecording extends Recording {
  /** Interface, and agent or signal. */
  source: string;
  markers: number;
}

/**
 * Members and attributes that identify the kind of a report. With another value the server would not recognize the
 * report.
 */
const RECOGNIZED = new Set([
  ...[
    "hook_event_name",
    "event.name",
    "span.type",
    "gen_ai.operation.name",
    "name",
    "event.kind",
    "service.name",
    "key",
  ],
  ...["openinference.span.kind", "traceloop.span.kind", "langfuse.observation.type"],
]);
/**
 * Text that stays unchanged even in odd forms: a span without a session stores the service's name until retention
 * deletes the span.
 */
const ALWAYS_AS_SENT = new Set(["key", "service.name"]);
/**
 * Members with fixed values in lines of transcripts and bodies of SDKs; the server also checks the form of the ids
 * there.
 */
const TYPED = new Set(["type", "subtype", "role", "run_type", "object", "kind", "status", "stop_reason"]);
const CHECKED =
  /(^|[._])(id|ids|uuid|parentUuid|dotted_order|time|at|created|time_created)$|(Id|Time|Timestamp|Uuid)$/i;
/** Values with a checked form: hexadecimal digits, numbers as text, and times. */
const FORMAL = /^(traceId|spanId|parentSpanId|.*UnixNano|intValue|bytesValue|event\.timestamp|timestamp)$/;
const IDENTIFIER = /(^|[._])(id|ids|turn_id|agent_id)$|Id$/;

/**
 * Options for planting markers in a body: `next` creates a marker. The name of an attribute decides how to treat the
 * attribute's value.
 */
interface Planting extends PlantedTexts {
  next: () => string;
  /** True to change also the values that identify the kind of a report. */
  isOdd: boolean;
  /** True for transcripts and SDKs, whose types and ids stay unchanged. */
  isTyped: boolean;
}

function plant(value: unknown, planting: Planting, name = ""): unknown {
  if (typeof value === "string") return plantText(value, planting, name);
  if (Array.isArray(value)) return value.map((each) => plant(each, planting, name));
  if (typeof value !== "object" || value === null) return value;
  const own = "key" in value && typeof value.key === "string" ? value.key : undefined;
  const entries = Object.entries(value).map(([key, each]) => {
    const called = key === "key" ? "key" : (own ?? (key.endsWith("Value") && !FORMAL.test(key) ? name : key));
    return [key, plant(each, planting, FORMAL.test(key) ? key : called)] as const;
  });
  const isFree = own === undefined && !entries.some(([key]) => /Value$|^(resource|scope|attributes)/.test(key));
  return Object.fromEntries(isFree ? [...entries, [planting.next(), planting.next()]] : entries);
}

function plantText(text: string, { ids, next, isOdd, isTyped }: Planting, name: string): string {
  if (FORMAL.test(name) || (isTyped && (CHECKED.test(name) || TYPED.has(name)))) return text;
  if (IDENTIFIER.test(name)) return `${text}${ids}`;
  if (RECOGNIZED.has(name)) return isOdd && !ALWAYS_AS_SENT.has(name) ? `${text}${next()}` : text;
  return `${text} ${next()}`;
}

const FIXTURES = new URL("../../fixtures/", import.meta.url);

/** Lists the paths of the JSON fixtures below a folder. */
const fixturesIn = (folder: string): string[] =>
  readdirSync(new URL(`${folder}/`, FIXTURES), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .sort()
    .map((path) => `${folder}/${path}`);

const AGENTS = {
  claude: "claude-code",
  codex: "codex",
  gemini: "gemini-cli",
  opencode: "opencode",
  qwen: "qwen-code",
} as const;

/** Endpoints of the SDKs that send JSON. */
const SDKS = {
  braintrust: "/sdk/braintrust/logs3",
  langfuse: "/sdk/langfuse/api/public/ingestion",
  "langsmith-batch": "/sdk/langsmith/runs/batch",
  "openai-agents": "/sdk/openai-agents/v1/traces/ingest",
} as const;

/** Files of agents with one JSON value per line. */
const TRANSCRIPTS = [
  "claude-code-2.1.330",
  "codex-0.169.0",
  "gemini-cli-0.61.0",
  "github-copilot-1.0.102",
  "pi-0.73.1",
  "qwen-code-0.24.4",
];

/** Returns requests of SDKs and imports of transcripts, with markers in each line. */
const typedBodies = (planting: Omit<Planting, "isTyped">): [source: string, make: () => Recording][] => [
  ...fixturesIn("sdks").map((path): [string, () => Recording] => {
    const url = Object.entries(SDKS).find(([name]) => path.startsWith(`sdks/${name}`))?.[1] ?? "";
    return [
      `SDK ${url.split("/")[2]}`,
      () => ({ path: url, body: plant(parsed(path), { ...planting, isTyped: true }) as object }),
    ];
  }),
  ...TRANSCRIPTS.map((name): [string, () => Recording] => {
    const agent = name.replace(/-[\d.]+$/, "");
    const lines = readFileSync(new URL(`transcripts/${name}/plain/session.jsonl`, FIXTURES), "utf8")
      .split("\n")
      .filter(Boolean);
    const planted = (line: string) => JSON.stringify(plant(JSON.parse(line), { ...planting, isTyped: true }));
    return [
      `transcript ${agent}`,
      () => ({ path: `/api/v1/transcripts/${agent}`, body: { lines: lines.map(planted), end: true } }),
    ];
  }),
];

/** Every hook of every agent, and every batch of telemetry except metrics, whose content is not stored. */
const SOURCES = [
  ...fixturesIn("agents").map((path) => {
    const agent = Object.entries(AGENTS).find(([folder]) => path.split("/")[1]?.startsWith(folder))?.[1];
    return { path, source: `hooks ${agent}`, url: `/api/v1/hooks/${agent}` };
  }),
  ...fixturesIn("otlp").flatMap((path) => {
    const signal = "resourceLogs" in parsed(path) ? "logs" : "traces";
    return "resourceMetrics" in parsed(path) ? [] : [{ path, source: `telemetry ${signal}`, url: `/v1/${signal}` }];
  }),
];

function parsed(path: string): object {
  return JSON.parse(readFileSync(new URL(path, FIXTURES), "utf8"));
}

/** Returns requests with a unique marker in every text of every interface. Telemetry and hooks also get odd forms. */
export function createMarkedRecordings(planted: PlantedTexts): MarkedRecording[] {
  let made = 0;
  const next = () => {
    made += 1;
    return `${planted.text}${made.toString(36)}z`;
  };
  const counted = (source: string, make: () => Recording): MarkedRecording => {
    const before = made;
    return { ...make(), source, markers: made - before };
  };
  const reports = [false, true].flatMap((isOdd) =>
    SOURCES.map(({ path, source, url }) =>
      counted(source, () => ({
        path: url,
        body: plant(parsed(path), { ...planted, next, isOdd, isTyped: false }) as object,
      })),
    ),
  );
  const typed = typedBodies({ ...planted, next, isOdd: false }).map(([source, make]) => counted(source, make));
  return [
    ...captures(planted.run, next).map(([path, body]) => counted("capture", () => ({ path, body: body() }))),
    ...reports,
    ...typed,
  ];
}

/** Returns every text field of the capture endpoints. */
function captures(session_id: string, next: () => string): [path: string, body: () => object][] {
  const event = (fields: object) => ({
    ...createEvent({ session_id, primitive_name: next(), args: next(), result: next(), success: false }),
    metadata: { [next()]: next(), deep: [{ [next()]: next() }], "gen_ai.request.model": next() },
    ...fields,
  });
  const session = () => ({
    session_id,
    user_data: { user_id: `user-${session_id}${next()}`, [next()]: { [next()]: [next()] } },
    metadata: { [next()]: [next(), { [next()]: next() }] },
    client_config: next(),
  });
  return [
    ["/api/v1/capture-session", session],
    ["/api/v1/capture-event", () => event({ primitive_type: "tool" })],
    [
      "/api/v1/capture-events",
      () => ({ events: [event({ primitive_type: next() }), event({ primitive_type: "llm" })] }),
    ],
  ];
}
