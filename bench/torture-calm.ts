import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Finding, forgetWebhooks, registered, type Scene, startWriters, within } from "./torture-scene.ts";

const CALM_MS = 15_000;
/** Webhooks that stall together when their cost is weighed; one organization has at most 100. */
const STALLING = 90;
const LIMITS = { stallKB: 64, exchangeMs: 11_000, delayMs: 1_000 };

/** Without kills: how long a healthy receiver waits alone and beside a stalling one, and what stalled exchanges weigh. */
export async function inCalm(scene: Scene): Promise<Finding[]> {
  const healthy = await registered(scene, () => "accept", ["Issue"]);
  const delays = async () => {
    healthy.delays.length = 0;
    const writing = startWriters(scene, 2, 100);
    await sleep(CALM_MS);
    await writing.stop();
    await sleep(1_000);
    return healthy.delays.toSorted((a, b) => a - b);
  };
  const alone = await delays();
  const stalled = await registered(scene, () => "stall", ["Issue"]);
  const beside = await delays();
  healthy.close();
  stalled.close();
  await weigh(scene); // The first time grows what stays.
  const { weight, longest } = await weigh(scene);
  return [
    within("healthy alone: slowest, ms", alone.at(-1) ?? 0, LIMITS.delayMs),
    within("healthy beside a stalling one: slowest, ms", beside.at(-1) ?? 0, LIMITS.delayMs),
    { what: "of how many deliveries", figure: `${alone.length}, ${beside.length}`, held: beside.length > 50 },
    within("a stalled exchange, KB", weight, LIMITS.stallKB),
    within("a stalled exchange, ms", Math.max(stalled.longest, longest), LIMITS.exchangeMs),
  ];
}

/** What many stalled exchanges weigh, KB each, and how long they last, in ms. */
async function weigh(scene: Scene): Promise<{ weight: number; longest: number }> {
  await forgetWebhooks(scene);
  const stalling = await registered(scene, () => "stall", ["Project"], STALLING);
  const before = await resident(scene);
  const query = "mutation ($input: ProjectCreateInput!) { projectCreate(input: $input) { success } }";
  await scene.tenant.gql(query, { input: { name: "Stalled", teamIds: [scene.teamId] } });
  while (stalling.open < STALLING) await sleep(50);
  const weight = ((await resident(scene)) - before) / STALLING;
  while (stalling.open > 0) await sleep(50);
  stalling.close();
  return { weight, longest: stalling.longest };
}

/** KB resident in all servers, after a pause in which garbage goes. */
async function resident({ servers }: Scene): Promise<number> {
  await sleep(3_000);
  const sizes = servers
    .pids()
    .map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]));
  return sizes.reduce((sum, size) => sum + size, 0);
}
