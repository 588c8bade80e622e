import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../../../server/app.ts";
import { startSharedServer, type Tenant } from "../server.ts";

/** Registered webhook as the server returned it. */
export interface RegisteredWebhook {
  id: string;
  secret: string;
}

/** Entry of the delivery log. */
export interface Delivery {
  id: string;
  type: string;
  action: string;
  status: string;
  attempts: { at: string; status: number | null; error: string | null }[];
}

/** Registers a webhook for issues; `more` replaces fields of the input. */
export const registerWebhook = async (
  tenant: Tenant,
  { url }: { url: string },
  more: object = {},
): Promise<RegisteredWebhook> => {
  const body = { target: url, resourceTypes: ["Issue"], ...more };
  // A busy machine refuses some of many concurrent requests.
  for (let tries = 1; ; tries += 1) {
    const { status, body: webhook } = await tenant.rest("POST", "/api/webhooks", body);
    if (status !== 503 || tries === 5) return webhook as unknown as RegisteredWebhook;
    await sleep(1_000);
  }
};

/** Returns the newest deliveries of a webhook. */
export const readDeliveries = async (tenant: Tenant, { id }: RegisteredWebhook): Promise<Delivery[]> =>
  (await tenant.rest("GET", `/api/webhooks/${id}/deliveries`)).body["deliveries"] as Delivery[];

/** Returns the delivery log as soon as `done` is true for the log. */
export async function waitForDeliveries(
  tenant: Tenant,
  webhook: RegisteredWebhook,
  done: (all: Delivery[]) => boolean,
): Promise<Delivery[]> {
  for (;;) {
    const all = await readDeliveries(tenant, webhook);
    if (all.length > 0 && done(all)) return all;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** Makes deliveries due now that wait for the next attempt. */
export async function makeDeliveriesDue({ id }: RegisteredWebhook, app?: App): Promise<void> {
  const { db } = (app ?? (await startSharedServer())).runtime;
  const text = `update delivery set "nextAttemptAt" = $2
    where "targetId" = $1 and status = 'pending' and "leasedUntil" is null`;
  await db.query({ text, values: [id, new Date()] });
  db.wake.publish(id);
}
