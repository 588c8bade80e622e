import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { uuidv7 } from "uuidv7";
import { mintIngestKey } from "../../../server/auth/key.ts";
import { type IngestOptions, ingestion } from "../../../server/ingest/ingestion.ts";
import { ingestMiddleware } from "../../../server/ingest/middleware.ts";
import type { Runtime } from "../../../server/runtime.ts";
import { folded, type Reply, sharedServer } from "../server.ts";

/** A fresh organization that only ingests: a key, and reads of the stored rows. */
export interface Writer {
  url: string;
  key: string;
  organizationId: string;
  session(body: object): Promise<Reply>;
  event(body: object): Promise<Reply>;
  /** Answers the batch's reply, `results` by row. */
  events(rows: unknown[]): Promise<Reply & { results: RowResult[] }>;
  /** Sends bytes as they are. */
  raw(path: string, body: Bytes, headers?: Record<string, string>): Promise<Reply>;
  storedEvent(id: string): Promise<Record<string, unknown> | undefined>;
  storedSession(id: string): Promise<Record<string, unknown> | undefined>;
  storedUser(id: string): Promise<Record<string, unknown> | undefined>;
  /** The number of stored events. */
  count(): Promise<number>;
}

/** The body of a request. */
export type Bytes = string | Uint8Array | null;

/** One element of `results`. */
export interface RowResult {
  index: number;
  event_id: string;
  status: string;
  reason: string;
}

/** An event with everything that is required. */
export const anEvent = <Fields extends object = object>(fields: Fields = {} as Fields) => ({
  event_id: uuidv7(),
  session_id: uuidv7(),
  primitive_name: "assistant",
  args: "What is the time?",
  result: "Noon.",
  ...fields,
});

/** A session with everything that is required. */
export const aSession = (fields: object = {}) => ({ session_id: uuidv7(), user_data: { user_id: "u-1" }, ...fields });

/** An organization of its own on the shared server, or behind another instance over the same database. */
export async function freshWriter(through?: { url: string }): Promise<Writer> {
  const { url, runtime } = await sharedServer();
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

function writerAt(url: string, key: string, organizationId: string, { db, projector }: Runtime): Writer {
  const headers = { "x-api-key": key };
  const post = (path: string, body: unknown) => sendRaw(`${url}/api/v1/${path}`, JSON.stringify(body), headers);
  const one = async (table: string, column: string, id: string) => {
    await folded({ projector }, organizationId);
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
      await folded({ projector }, organizationId);
      const text = "select count(*)::integer as count from recorded_event where organization_id = $1";
      const [row] = await db.query<{ count: number }>({ text, values: [organizationId] });
      return row?.count ?? 0;
    },
  };
}

/** Sends a POST with bytes and headers as they are; JSON is the type by default. */
export async function sendRaw(url: string, body: Bytes, headers: Record<string, string>): Promise<Reply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply["body"] };
}

/** Another instance: an API with caches, queues and bounds of its own over the shared server's database. */
export async function anotherInstance(options: Partial<IngestOptions> = {}, runtime: Partial<Runtime> = {}) {
  const shared = await sharedServer();
  const koa = new Koa();
  koa.silent = true;
  const parts = ingestion({ ...shared.runtime, ...runtime }, options);
  const server = createServer(koa.use(ingestMiddleware(parts)).callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.unref().address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, port, close };
}

/** Lets no commit end while `work` runs. */
export async function withStalledStore(work: () => Promise<void>): Promise<void> {
  const { db } = (await sharedServer()).runtime;
  await db.transaction(async (trx) => {
    await trx.query({ text: "lock table recorded_event in access exclusive mode" });
    await work();
  });
}
