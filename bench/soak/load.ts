import { setTimeout as sleep } from "node:timers/promises";
import { createOrganization } from "../../test/support/server.ts";
import { drawRequest, type PreparedTenant, pickRandom } from "./requests.ts";
import type { Timings } from "./timings.ts";

/** Numbers of requests and failures, by kind. */
export type Counts = Record<string, number>;

/**
 * Interval in ms at which new organizations sign up, each with a webhook. Only the newest `ACTIVE`
 * organizations send requests.
 */
const SIGN_UP_MS = 20_000;
const ACTIVE = 8;
/** Maximum concurrent requests. With more, the load pauses, because the server is busy. */
const MAX_UNDER_WAY = 60;

/** The target of the load, the receiver of its webhooks, and the requests per second. */
export interface Load {
  url: string;
  receiver: string;
  rate: number;
  timings: Timings;
}

/** Sends requests at a rate until `stop`. Counts the requests, and records the duration of each response. */
export async function runLoad({ url, receiver, rate, timings }: Load, stop: AbortSignal): Promise<Counts> {
  const counts: Counts = { held: 0 };
  const tenants = [await settle(url, receiver)];
  const settling = signUps(url, receiver, tenants, stop);
  let underWay = 0;
  for (let due = performance.now(); !stop.aborted; due += 1_000 / rate) {
    await sleep(Math.max(0, due - performance.now()));
    if (underWay >= MAX_UNDER_WAY) counts.held = (counts.held ?? 0) + 1;
    else {
      const [name, , run] = drawRequest();
      underWay += 1;
      const begun = performance.now();
      void run(pickRandom(tenants))
        .catch(() => false)
        .then((ok) => {
          underWay -= 1;
          if (name !== "visit") timings.add(performance.now() - begun);
          const kind = ok ? name : `${name} failed`;
          counts[kind] = (counts[kind] ?? 0) + 1;
        });
    }
  }
  await settling;
  return counts;
}

async function signUps(url: string, receiver: string, tenants: PreparedTenant[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await sleep(SIGN_UP_MS, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    tenants.push(await settle(url, receiver));
    if (tenants.length > ACTIVE) tenants.shift();
  }
}

async function settle(url: string, receiver: string): Promise<PreparedTenant> {
  const tenant = await createOrganization({ url });
  const made = await tenant.rest("POST", "/api/webhooks", { target: receiver });
  if (made.status >= 300) throw new Error(`no webhook: ${JSON.stringify(made.body)}`);
  const { teamCreate } = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  return { ...tenant, teamId: teamCreate.team.id };
}
