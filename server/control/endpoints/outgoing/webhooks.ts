import { z } from "zod";
import { webhookChecks } from "../../../resources/index.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
} from "../../../resources/webhook/registration.ts";
import type { WebhookScope } from "../../../resources/webhook/scope.ts";
import * as field from "../../fields.ts";
import { type Call, route } from "../../route.ts";

/** The caller's organization, for functions that manage its webhooks. */
export const webhookScope = (
  { runtime, caller }: Call<"owner">,
  db: WebhookScope["db"] = runtime.db,
): WebhookScope => ({
  db,
  organizationId: caller.organizationId,
  userId: caller.userId,
  secret: runtime.secret,
});

/** Does a piece of work on the caller's webhooks in one transaction. */
const within = <T>(call: Call<"owner">, work: (scope: WebhookScope) => Promise<T>): Promise<T> =>
  call.runtime.db.transaction((trx) => work(webhookScope(call, trx)));

const tag = "Webhooks";
const create = webhookChecks.WebhookCreateInput.shape;
const update = webhookChecks.WebhookUpdateInput.shape;

const webhook = z.object({
  id: field.id,
  target: z.string(),
  label: z.string().nullable(),
  teamId: field.id.nullable().describe("The only team whose changes it receives; null for every team."),
  resourceTypes: z.array(z.string()).describe("The types whose changes it receives; empty for all."),
  enabled: z.boolean(),
  createdAt: field.timestamp,
});
const withSecret = webhook.extend({ secret: z.string().describe("Signs the deliveries; shown this once.") });

const shown = ({ url, resourceTypes, ...rest }: Webhook) => ({
  ...rest,
  target: url,
  resourceTypes: resourceTypes ?? [],
});

const createRoute = route({
  method: "post",
  path: "/api/webhooks",
  tag,
  summary: "Register a webhook",
  description: "Only the target's syntax is checked now; where it may lead is decided when a delivery connects.",
  access: "owner",
  body: z.strictObject({
    target: create.url,
    teamId: create.teamId,
    resourceTypes: create.resourceTypes,
    label: create.label,
    secret: create.secret,
  }),
  replies: { 201: withSecret },
  errors: { 409: "As many webhooks as there can be (`limit_reached`)." },
  async run(call) {
    const { target, ...rest } = call.body;
    const { secret, ...made } = await within(call, (scope) => createWebhook(scope, { url: target, ...rest }));
    return { ...shown(made), secret };
  },
});

const listRoute = route({
  method: "get",
  path: "/api/webhooks",
  tag,
  summary: "List the organization's webhooks",
  description: "Newest first, without their secrets.",
  access: "owner",
  replies: { 200: z.object({ webhooks: z.array(webhook) }) },
  run: async (call) => ({ webhooks: (await listWebhooks(webhookScope(call))).map(shown) }),
});

const updateRoute = route({
  method: "patch",
  path: "/api/webhooks/:id",
  tag,
  summary: "Change a webhook",
  description: "What is absent stays as it is.",
  access: "owner",
  body: z.strictObject({
    target: update.url,
    teamId: create.teamId,
    resourceTypes: update.resourceTypes,
    label: update.label,
    enabled: update.enabled,
  }),
  replies: { 200: webhook },
  async run(call) {
    const { target, ...rest } = call.body;
    const id = call.params["id"] ?? "";
    return shown(await within(call, (scope) => updateWebhook(scope, id, { url: target, ...rest })));
  },
});

const deleteRoute = route({
  method: "delete",
  path: "/api/webhooks/:id",
  tag,
  summary: "Delete a webhook",
  description: "What waits to be delivered to it is dropped.",
  access: "owner",
  replies: { 200: field.success },
  async run(call) {
    await within(call, (scope) => deleteWebhook(scope, call.params["id"] ?? ""));
    return field.done;
  },
});

const rotateRoute = route({
  method: "post",
  path: "/api/webhooks/:id/rotate-secret",
  tag,
  summary: "Give a webhook a new secret",
  description:
    "For 24 hours `webhook-signature` carries signatures of both; `Tracker-Signature` and `Linear-Signature` use the new one.",
  access: "owner",
  replies: { 200: z.object({ secret: z.string(), previousSecretUntil: field.timestamp }) },
  run: (call) => within(call, (scope) => rotateWebhookSecret(scope, call.params["id"] ?? "")),
});

/** Webhooks: owners manage them. */
export const webhookRoutes = [createRoute, listRoute, updateRoute, deleteRoute, rotateRoute];
