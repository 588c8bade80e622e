import { z } from "zod";
import {
  listDeliveries,
  readDelivery,
  redeliver,
  redeliverRange,
  type TargetOf,
} from "../../../resources/webhook/delivery.ts";
import type { TargetTable } from "../../../resources/webhook/scope.ts";
import * as field from "../../fields.ts";
import { route } from "../../route.ts";
import { webhookScope } from "./webhooks.ts";

const count = z.object({ count: z.int().describe("How many deliveries are sent again.") });

const delivery = z.object({
  id: field.id.describe("The `Tracker-Delivery` header, the same on every attempt."),
  type: z.string(),
  action: z.string(),
  status: z.string(),
  attempts: z.array(z.object({ at: field.timestamp, status: z.int().nullable(), error: z.string().nullable() })),
  createdAt: field.timestamp,
});

/** A kind of target of deliveries, in the words of the document. */
interface Target {
  path: `/api/${string}`;
  tag: string;
  table: TargetTable;
  /** Its name with an article. */
  name: string;
  /** The code of a refusal while it is disabled. */
  disabled: string;
}

const targets: readonly Target[] = [
  { path: "/api/webhooks", tag: "Webhooks", table: "webhook", name: "a webhook", disabled: "webhook_disabled" },
  {
    path: "/api/notice-rules",
    tag: "Notices",
    table: "noticeRule",
    name: "a notice rule",
    disabled: "notice_rule_disabled",
  },
];

const routesOf = ({ path, tag, table, name, disabled }: Target) => {
  const errors = { 409: `It is disabled (\`${disabled}\`).` };
  const of = ({ params }: { params: Record<string, string> }): TargetOf => ({ table, id: params["id"] ?? "" });
  const list = route({
    method: "get",
    path: `${path}/:id/deliveries`,
    tag,
    summary: `List the deliveries of ${name}`,
    description: "Newest first. They are kept for 30 days.",
    access: "owner",
    query: z.strictObject(field.page),
    replies: { 200: z.object({ deliveries: z.array(delivery), next_cursor: z.string().optional() }) },
    async run(call) {
      const { deliveries, nextCursor } = await listDeliveries(webhookScope(call), of(call), call.query);
      return { deliveries, ...(nextCursor && { next_cursor: nextCursor }) };
    },
  });
  const read = route({
    method: "get",
    path: `${path}/:id/deliveries/:deliveryId`,
    tag,
    summary: `Read one delivery of ${name} with its payload`,
    description:
      table === "webhook"
        ? "The body as each attempt posts it, but for `webhookTimestamp`, which every attempt stamps anew."
        : "The notices that it names, by ids and values. Each attempt looks the rest up.",
    access: "owner",
    replies: {
      200: delivery.extend({
        payload: z.record(z.string(), z.unknown()).nullable().describe("Null once the change is no longer kept."),
      }),
    },
    run: (call) => readDelivery(webhookScope(call), of(call), call.params["deliveryId"] ?? ""),
  });
  const one = route({
    method: "post",
    path: `${path}/:id/deliveries/:deliveryId/redeliver`,
    tag,
    summary: `Send one delivery of ${name} again`,
    description: "It is queued with the id that it had, so that a receiver that keeps ids knows it for a repeat.",
    access: "owner",
    replies: { 202: count },
    errors,
    async run(call) {
      const again = await redeliver(webhookScope(call), of(call), call.params["deliveryId"] ?? "");
      call.runtime.db.wake.publish(call.caller.organizationId);
      return { count: again };
    },
  });
  const range = route({
    method: "post",
    path: `${path}/:id/redeliver`,
    tag,
    summary: `Send again what ${name} was sent in a range of time`,
    description: "`from` is included, `to` is not. At most 10,000 a call, the oldest first.",
    access: "owner",
    body: z.strictObject({ from: z.iso.datetime({ offset: true }), to: z.iso.datetime({ offset: true }) }),
    replies: { 202: count },
    errors,
    async run(call) {
      const again = await redeliverRange(webhookScope(call), of(call), call.body);
      call.runtime.db.wake.publish(call.caller.organizationId);
      return { count: again };
    },
  });
  return [list, read, one, range];
};

/** Routes that list deliveries and send them again: of webhooks, and of notice rules. */
export const deliveryRoutes = targets.flatMap(routesOf);
