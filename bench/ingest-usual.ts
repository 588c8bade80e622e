import type { AddressInfo } from "node:net";
import knexFactory from "knex";
import Koa from "koa";
import { koaBody } from "koa-body";
import { z } from "zod";

// The usual stack, in a process of its own: koa, koa-body, zod, one knex insert a request. It checks no key, knows no
// repeats and makes no sessions, all of which flatters it.

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

const rowOf = (event: z.infer<typeof Event>) => ({
  ...event,
  organization_id,
  success: event.success ?? true,
  timestamp: new Date(event.timestamp ?? Date.now()),
  timestamp_sent: typeof event.timestamp === "number",
  received_at: new Date(),
});

const app = new Koa();
app.use(koaBody({ jsonLimit: "10mb" }));
app.use(async (ctx) => {
  const { body } = ctx.request as unknown as { body: unknown };
  if (ctx.path.endsWith("capture-events")) {
    const { events } = Batch.parse(body);
    await knex("usual_event").insert(events.map(rowOf));
    const results = events.map(({ event_id }, index) => ({ index, event_id, status: "accepted", reason: "" }));
    ctx.status = 202;
    ctx.body = { accepted: events.length, rejected: 0, results };
  } else {
    const event = Event.parse(body);
    await knex("usual_event").insert(rowOf(event));
    ctx.body = { status: "ok", event_id: event.event_id };
  }
});
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
