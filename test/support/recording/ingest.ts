import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { uuidv7 } from "uuidv7";
import { mintIngestKey } from "../../../server/auth/key.ts";
import { createIngestion, type IngestOptions } from "../../../server/ingest/ingestion.ts";
import { ingestMiddleware } from "../../../server/ingest/middleware.ts";
import type { Runtime } from "../../../server/runtime.ts";
import { type RestReply, startSharedServer, waitUntilFolded } from "../server.ts";

/** Fresh organization that only ingests: an ingest key, and reads of the stored rows. */
export interface IngestWriter {
  url: string;
  key: string;
  organizationId: string;
  session(body: object): Promise<RestReply>;
  event(body: object): Promise<RestReply>;
  /** Sends a batch of events. Returns the reply, with `results` in the order of the rows. */
  events(rows: unknown[]): Promise<RestReply & { results: RowResult[] }>;
  /** Sends bytes unchanged. */
  raw(path: string, body: RequestBody, headers?: Record<string, string>): Promise<RestReply>;
  storedEvent(id: string): Promise<Record<string, unknown> | undefined>;
  storedSession(id: string): Promise<Record<string, unknown> | undefined>;
  storedUser(id: string): Promise<Record<string, unknown> | undefined>;
  /** Counts the stored events. */
  count(): Promise<number>;
}

export type RequestBody = string | Uint8Array | null;

/** Entry of `results`. */
export interface RowResult {
  index: number;
  event_id: string;
  status: string;
  reason: string;
}

/** Builds an event with all required fields. */
export const createEvent = <Fields extends object = object>(fields: Fields = {} as Fields) => ({
  event_id: uuidv7(),
  session_id: uuidv7(),
  primitive_name: "assistant",
  args: "What is the time?",
  result: "Noon.",
  ...fields,
});

/** Builds a session with all required fields. */
export const createSession = (fields: object = {}) => ({
  session_id: uuidv7(),
  user_data: { user_id: "u-1" },
  ...fields,
});

/** Creates an organization on the shared server, or through another server over the same database. */
export async function createWriter(through?: { url: string }): Promise<IngestWriter> {
  const { url, runtime } = await startSharedServer();
  const organizationId = randomUUID();
  const key = await mintFor(runtime, organizationId);
  return writerAt(through?.url ?? url, key, organizationId, runtime);
}

async function mintFor({ db }: Runtime, organizationId: string): Promise<string> {
  const { key, hash, last4 } = mintIngestKey();
  const text = `insert into "ingestKey" (hash, id, "organizationId", name, prefix, last4, "createdAt")
    values ($1, $2, $3, 'tests', 'sk_', $4, $5)`;
  await db.query({ text, values: [hash, randomUUID(), organizationId, last4, new Date()] });
  return key;
}

function writerAt(url: string, key: string, organizationId: string, { db, projector }: Runtime): IngestWriter {
  const headers = { "x-api-key": key };
  const post = (path: string, body: unknown) => sendRaw(`${url}/api/v1/${path}`, JSON.stringify(body), headers);
  const one = async (table: string, column: string, id: string) => {
    await waitUntilFolded({ projector }, organizationId);
    const text = `select * from ${table} where organization_id = $1 and ${column} = $2`;
    const [row] = await db.query({ text, values: [organizationId, id] });
    return row;
  };
  return {
    url,
    key,
    organizationId,
    session: (body) => post("capture-session", body),
    event: (body) => post("capture-event", body),
    async events(rows) {
      const reply = await post("capture-events", { events: rows });
      return { ...reply, results: (reply.body["results"] ?? []) as RowResult[] };
    },
    raw: (path, body, more = {}) => sendRaw(`${url}/api/v1/${path}`, body, { ...headers, ...more }),
    storedEvent: (id) => one("recorded_event", "event_id", id),
    storedSession: (id) => one("recorded_session", "session_id", id),
    storedUser: (id) => one("recorded_user", "user_id", id),
    async count() {
      await waitUntilFolded({ projector }, organizationId);
      const text = "select count(*)::integer as count from recorded_event where organization_id = $1";
      const [row] = await db.query<{ count: number }>({ text, values: [organizationId] });
      return row?.count ?? 0;
    },
  };
}

/** Posts bytes with headers unchanged; the default content type is JSON. */
export async function sendRaw(url: string, body: RequestBody, headers: Record<string, string>): Promise<RestReply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as RestReply["body"] };
}

/** Starts a second API server with caches, queues and limits of its own over the shared server's database. */
export async function startAnotherServer(options: Partial<IngestOptions> = {}, runtime: Partial<Runtime> = {}) {
  const shared = await startSharedServer();
  const koa = new Koa();
  koa.silent = true;
  const parts = createIngestion({ ...shared.runtime, ...runtime }, options);
  const server = createServer(koa.use(ingestMiddleware(parts)).callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.unref().address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, port, close };
}

/** Prevents every commit from completing while `work` runs. */
export async function whileCommitsStall(work: () => Promise<void>): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  await db.transaction(async (trx) => {
    await trx.query({ text: "lock table recorded_event in access exclusive mode" });
    await work();
  });
}
