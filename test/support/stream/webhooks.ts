import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../../../server/app.ts";
import { sharedServer, type Tenant } from "../server.ts";

/** A registration, as it was answered. */
export interface Registered {
  id: string;
  secret: string;
}

/** One entry of the delivery log. */
export interface Delivery {
  id: string;
  type: string;
  action: string;
  status: string;
  attempts: { at: string; status: number | null; error: string | null }[];
}

/** Registers a webhook for issues, or for what `more` says. */
export const register = async (tenant: Tenant, { url }: { url: string }, more: object = {}): Promise<Registered> => {
  const body = { target: url, resourceTypes: ["Issue"], ...more };
  // A busy machine refuses some of many at once.
  for (let tries = 1; ; tries += 1) {
    const { status, body: webhook } = await tenant.rest("POST", "/api/webhooks", body);
    if (status !== 503 || tries === 5) return webhook as unknown as Registered;
    await sleep(1_000);
  }
};

/** The newest deliveries of a webhook. */
export const deliveries = async (tenant: Tenant, { id }: Registered): Promise<Delivery[]> =>
  (await tenant.rest("GET", `/api/webhooks/${id}/deliveries`)).body["deliveries"] as Delivery[];

/** The delivery log, as soon as `done` says so. */
export async function settled(
  tenant: Tenant,
  webhook: Registered,
  done: (all: Delivery[]) => boolean,
): Promise<Delivery[]> {
  for (;;) {
    const all = await deliveries(tenant, webhook);
    if (all.length > 0 && done(all)) return all;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** Makes due now what waits for its next attempt. */
export async function hurry({ id }: Registered, app?: App): Promise<void> {
  const { db } = (app ?? (await sharedServer())).runtime;
  const text = `update delivery set "nextAttemptAt" = $2
    where "targetId" = $1 and status = 'pending' and "leasedUntil" is null`;
  await db.query({ text, values: [id, new Date()] });
  db.wake.publish(id);
}
