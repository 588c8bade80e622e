import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import knexFactory from "knex";
import Koa from "koa";
import { koaBody } from "koa-body";
import { z } from "zod";

// The usual stack, in a separate process: koa, koa-body, zod, knex. Each request finds the key, creates missing
// sessions and inserts the events in one transaction. With USUAL=bare the process only inserts.

const Event = z.object({
  event_id: z.uuid(),
  session_id: z.uuid(),
  primitive_name: z.string().min(1).max(256),
  primitive_type: z.string().max(64).nullish(),
  args: z.string(),
  result: z.string(),
  success: z.boolean().nullish(),
  latency: z.int().min(0).nullish(),
  timestamp: z.int().nullish(),
  parent_id: z.uuid().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
const Batch = z.object({ events: z.array(Event).max(500) });

const knex = knexFactory({ client: "pg", connection: process.env["DATABASE_URL"] ?? "", pool: { min: 0, max: 10 } });
const organization_id = "00000000-0000-7000-8000-000000000001";
const bare = process.env["USUAL"] === "bare";
const table = bare ? "bare_event" : "usual_event";

const rowOf = (event: z.infer<typeof Event>) => ({
  ...event,
  organization_id,
  success: event.success ?? true,
  timestamp: new Date(event.timestamp ?? Date.now()),
  timestamp_sent: typeof event.timestamp === "number",
  received_at: new Date(),
});

type Row = ReturnType<typeof rowOf>;

async function store(key: string, rows: Row[]): Promise<boolean> {
  if (bare) {
    await knex(table).insert(rows);
    return true;
  }
  const hash = createHash("sha256").update(key).digest();
  if (!(await knex("ingestKey").where({ hash }).first())) return false;
  const sessions = [...new Map(rows.map((row) => [row.session_id, sessionOf(row)])).values()];
  await knex.transaction(async (trx) => {
    await trx("usual_session").insert(sessions).onConflict(["organization_id", "session_id"]).ignore();
    await trx(table).insert(rows).onConflict(["organization_id", "event_id"]).ignore();
  });
  return true;
}

const sessionOf = ({ session_id, timestamp, received_at }: Row) => ({
  ...{ organization_id, session_id, timestamp, received_at, last_received_at: received_at },
  ...{ metadata: "{}", timestamp_sent: false, registered: false },
});

const app = new Koa();
app.use(koaBody({ jsonLimit: "10mb" }));
app.use(async (ctx) => {
  const { body } = ctx.request as unknown as { body: unknown };
  const isBatch = ctx.path.endsWith("capture-events");
  const events = isBatch ? Batch.parse(body).events : [Event.parse(body)];
  if (!(await store(ctx.get("x-api-key"), events.map(rowOf)))) {
    ctx.status = 401;
    return;
  }
  const results = events.map(({ event_id }, index) => ({ index, event_id, status: "accepted", reason: "" }));
  ctx.status = isBatch ? 202 : 200;
  ctx.body = isBatch
    ? { accepted: events.length, rejected: 0, results }
    : { status: "ok", event_id: events[0]?.event_id };
});
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
