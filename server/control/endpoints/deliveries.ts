import { z } from "zod";
import { listDeliveries, readDelivery, redeliver, redeliverRange } from "../../resources/webhook/delivery.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";
import { webhookScope } from "./webhook-scope.ts";

const tag = "Webhooks";
const count = z.object({ count: z.int().describe("How many deliveries are sent again.") });
const disabled = { 409: "The webhook is disabled (`webhook_disabled`)." };

const delivery = z.object({
  id: field.id.describe("The `Tracker-Delivery` header, the same on every attempt."),
  type: z.string(),
  action: z.string(),
  status: z.string(),
  attempts: z.array(z.object({ at: field.timestamp, status: z.int().nullable(), error: z.string().nullable() })),
  createdAt: field.timestamp,
});

const list = route({
  method: "get",
  path: "/api/webhooks/:id/deliveries",
  tag,
  summary: "List a webhook's deliveries",
  description: "Newest first. They are kept for 30 days.",
  access: "owner",
  query: z.strictObject(field.page),
  replies: {
    200: z.object({
      deliveries: z.array(delivery),
      next_cursor: z.string().optional(),
    }),
  },
  async run(call) {
    const { deliveries, nextCursor } = await listDeliveries(webhookScope(call), call.params["id"] ?? "", call.query);
    return { deliveries, ...(nextCursor && { next_cursor: nextCursor }) };
  },
});

const read = route({
  method: "get",
  path: "/api/webhooks/:id/deliveries/:deliveryId",
  tag,
  summary: "Read one delivery with its payload",
  description: "The body as each attempt posts it, but for `webhookTimestamp`, which every attempt stamps anew.",
  access: "owner",
  replies: {
    200: delivery.extend({
      payload: z.record(z.string(), z.unknown()).nullable().describe("Null once the change is no longer kept."),
    }),
  },
  run(call) {
    const { id = "", deliveryId = "" } = call.params;
    return readDelivery(webhookScope(call), id, deliveryId);
  },
});

const one = route({
  method: "post",
  path: "/api/webhooks/:id/deliveries/:deliveryId/redeliver",
  tag,
  summary: "Send one delivery again",
  description: "It is queued with the id and payload it had, so that a receiver that keeps ids knows it for a repeat.",
  access: "owner",
  replies: { 202: count },
  errors: disabled,
  async run(call) {
    const { id = "", deliveryId = "" } = call.params;
    const again = await redeliver(webhookScope(call), id, deliveryId);
    call.runtime.db.wake.publish(call.caller.organizationId);
    return { count: again };
  },
});

const range = route({
  method: "post",
  path: "/api/webhooks/:id/redeliver",
  tag,
  summary: "Send again what a range of time delivered",
  description: "`from` is included, `to` is not. At most 10,000 a call, the oldest first.",
  access: "owner",
  body: z.strictObject({ from: z.iso.datetime({ offset: true }), to: z.iso.datetime({ offset: true }) }),
  replies: { 202: count },
  errors: disabled,
  async run(call) {
    const again = await redeliverRange(webhookScope(call), call.params["id"] ?? "", call.body);
    call.runtime.db.wake.publish(call.caller.organizationId);
    return { count: again };
  },
});

/** Routes that list deliveries and send them again. */
export const deliveryRoutes = [list, read, one, range];
