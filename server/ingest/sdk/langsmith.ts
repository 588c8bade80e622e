import { isObject } from "../../../formats/json.ts";
import { type Payload, readObject, readObjects } from "../../agents/fields.ts";
import { AppError } from "../../errors.ts";
import type { Span } from "../otlp/model.ts";
import { buildSpan, parseSdkBody, prefixMembers, type SdkEndpoint, type SentSpans } from "./endpoint.ts";

const takenRuns = (runs: readonly Payload[]): SentSpans => ({
  spans: runs.map(spanOfRun),
  answer: () => ({ status: 202, body: { message: "Runs batch ingested" } }),
});

/** POST /runs: a single run. */
export const singleRunEndpoint: SdkEndpoint = { read: (body) => takenRuns([parseSdkBody(body)]) };

/** PATCH /runs/:id: changes to a run. */
export const runUpdateEndpoint: SdkEndpoint = { read: (body, { id }) => takenRuns([{ id, ...parseSdkBody(body) }]) };

/** POST /runs/batch: new and changed runs. */
export const runBatchEndpoint: SdkEndpoint = {
  read(body) {
    const sent = parseSdkBody(body);
    return takenRuns([...readObjects(sent, "post"), ...readObjects(sent, "patch")]);
  },
};

/**
 * Handles POST /runs/multipart: new and changed runs in a multipart form. Each large field of a run is a separate part
 * of the form.
 */
export const multipartRunsEndpoint: SdkEndpoint = {
  takes: (type) => boundaryOf(type) !== undefined,
  read: (body, { type }) => takenRuns(runsOf(body, boundaryOf(type) ?? "")),
};

const RUN_PART = /^(?:post|patch)\.[^.]+(?:\.(?:inputs|outputs|extra|error))?$/;

/** Reads the runs of a form. All JSON of the form is parsed as one list, so that one limit covers the whole form. */
function runsOf(body: Buffer, boundary: string): Payload[] {
  const parts = partsOf(body, boundary).filter(({ name }) => RUN_PART.test(name));
  const pieces = parts.flatMap(({ content }, at) => (at === 0 ? [content] : [COMMA, content]));
  const { parts: values } = parseSdkBody(Buffer.concat([OPEN, ...pieces, CLOSE]));
  const runs = new Map<string, Record<string, unknown>>();
  parts.forEach(({ name }, at) => {
    const [event, id, member] = name.split(".");
    const key = `${event}.${id}`;
    // Creates the run as an object without a prototype, because a client may send a field named `__proto__`.
    const run = runs.get(key) ?? Object.assign(Object.create(null), { id });
    runs.set(key, run);
    const value = (values as unknown[])[at];
    if (member !== undefined) run[member] = value;
    else if (isObject(value)) Object.assign(run, value);
  });
  return [...runs.values()];
}

const OPEN = Buffer.from('{"parts":[');
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]}");

function spanOfRun(run: Payload): Span {
  const extra = readObject(run, "extra");
  // `dotted_order` is the path from the root run to this run. Each step of the path contains the start time and the id
  // of one run.
  const path = typeof run["dotted_order"] === "string" ? run["dotted_order"].split(".") : [];
  const ids = path.map((step) => step.slice(step.indexOf("Z") + 1));
  const trace = run["trace_id"] ?? ids[0] ?? run["id"];
  const parent = run["parent_run_id"] ?? ids.at(-2);
  const members = { source: "langsmith", trace, id: run["id"], parent, name: run["name"], error: run["error"] };
  const times = { start: run["start_time"], end: run["end_time"] };
  return buildSpan(
    { ...members, ...times },
    {
      "langsmith.span.kind": run["run_type"] ?? "run",
      "langsmith.trace.id": trace,
      "langsmith.trace.session_name": run["session_name"],
      "langsmith.span.tags": Array.isArray(run["tags"]) ? run["tags"].join(", ") : undefined,
      "langsmith.span.runtime": readObject(extra, "runtime")["library"],
      "gen_ai.prompt": run["inputs"],
      "gen_ai.completion": run["outputs"],
      ...prefixMembers("langsmith.metadata.", readObject(extra, "metadata")),
    },
  );
}

/** Response to GET /info. Tells the SDK to send forms, uncompressed or with gzip. */
export const langsmithServerInfo = {
  version: "0.12.0",
  batch_ingest_config: {
    use_multipart_endpoint: true,
    scale_up_qsize_trigger: 1000,
    scale_up_nthreads_limit: 16,
    scale_down_nempty_trigger: 4,
    size_limit: 100,
    size_limit_bytes: 8 * 1024 * 1024,
  },
  instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: false },
};

/** Part of a form: the name and the bytes. The bytes share the memory of the body. */
interface Part {
  name: string;
  content: Buffer;
}

/** Maximum parts of one form. A run has up to eight parts. */
const MAX_PARTS = 80_000;
const HEAD_END = Buffer.from("\r\n\r\n");
const NAME = /^content-disposition:[^\r\n]*[;\s]name="([^"\r\n]*)"/im;

/** Returns the boundary in a multipart/form-data Content-Type; undefined for other types. */
const boundaryOf = (type: string): string | undefined =>
  /^multipart\/form-data\s*;(?:.*;)?\s*boundary="?([^";\s]{1,200})"?/i.exec(type)?.[1];

/** Splits a form into its parts. @throws AppError 400 */
function partsOf(body: Buffer, boundary: string): Part[] {
  const parts: Part[] = [];
  const mark = Buffer.from(`--${boundary}`);
  let at = body.indexOf(mark);
  while (at >= 0) {
    const from = at + mark.length;
    const next = body.indexOf(mark, from);
    if (next < 0) break;
    parts.push(partOf(body.subarray(from, next)));
    if (parts.length > MAX_PARTS) throw malformed(`must have at most ${MAX_PARTS} parts`);
    at = next;
  }
  if (at < 0) throw malformed("has no part");
  return parts;
}

function partOf(bytes: Buffer): Part {
  const end = bytes.indexOf(HEAD_END);
  const name = NAME.exec(bytes.toString("latin1", 0, Math.max(end, 0)))?.[1];
  if (end < 0 || name === undefined) throw malformed("has a part without a name");
  const content = bytes.subarray(end + HEAD_END.length);
  return { name, content: content.subarray(0, Math.max(0, content.length - "\r\n".length)) };
}

const malformed = (words: string) => new AppError("input", `The form ${words}`, { tag: "invalid_body" });
