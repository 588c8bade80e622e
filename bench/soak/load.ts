import { setTimeout as sleep } from "node:timers/promises";
import { freshOrganization } from "../../test/support/server.ts";
import { drawn, pick, type Settled } from "./requests.ts";
import type { Timings } from "./timings.ts";

/** The numbers of requests so far, by kind, and of those that failed. */
export type Counts = Record<string, number>;

/** New organizations come at this pace, each with a webhook; the oldest are no longer asked for. */
const SIGN_UP_MS = 20_000;
const ACTIVE = 8;
/** More than this under way, and the load waits: the server is busy with others' work. */
const MAX_UNDER_WAY = 60;

/** The target of the load, the receiver of its webhooks, and its requests a second. */
export interface Load {
  url: string;
  receiver: string;
  rate: number;
  timings: Timings;
}

/** Loads the server at a rate until `stop`, counts, and adds how long each answer took. */
export async function load({ url, receiver, rate, timings }: Load, stop: AbortSignal): Promise<Counts> {
  const counts: Counts = { held: 0 };
  const tenants = [await settle(url, receiver)];
  const settling = signUps(url, receiver, tenants, stop);
  let underWay = 0;
  for (let due = performance.now(); !stop.aborted; due += 1_000 / rate) {
    await sleep(Math.max(0, due - performance.now()));
    if (underWay >= MAX_UNDER_WAY) counts.held = (counts.held ?? 0) + 1;
    else {
      const [name, , run] = drawn();
      underWay += 1;
      const begun = performance.now();
      void run(pick(tenants))
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

async function signUps(url: string, receiver: string, tenants: Settled[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await sleep(SIGN_UP_MS, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    tenants.push(await settle(url, receiver));
    if (tenants.length > ACTIVE) tenants.shift();
  }
}

async function settle(url: string, receiver: string): Promise<Settled> {
  const tenant = await freshOrganization({ url });
  const made = await tenant.rest("POST", "/api/webhooks", { target: receiver });
  if (made.status >= 300) throw new Error(`no webhook: ${JSON.stringify(made.body)}`);
  const { teamCreate } = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  return { ...tenant, teamId: teamCreate.team.id };
}
