import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { listen } from "../../test/support/stream/realtime.ts";
import { type Finding, forgetWebhooks, registered, type Scene, startWriters, within } from "./scene.ts";

const CALM_MS = 15_000;
/** Exchanges that stall together when their cost is weighed: more than one process has under way. */
const STALLING = 200;
const LIMITS = { stallKB: 64, exchangeMs: 11_000, delayMs: 1_000, cutMs: 1_000 };

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
  const weight = await weigh(scene);
  const cut = await revocations(scene);
  return [
    within("healthy alone: slowest, ms", alone.at(-1) ?? 0, LIMITS.delayMs),
    within("healthy beside a stalling one: slowest, ms", beside.at(-1) ?? 0, LIMITS.delayMs),
    { what: "of how many deliveries", figure: `${alone.length}, ${beside.length}`, held: beside.length > 50 },
    within("a stalled exchange, KB", weight, LIMITS.stallKB),
    within("a deleted key's socket on another server: slowest cut, ms", cut, LIMITS.cutMs),
    within("a stalled exchange, ms", stalled.longest, LIMITS.exchangeMs),
  ];
}

/** The memory of one of many stalled exchanges, in KB, in a process that does nothing else. */
async function weigh(scene: Scene): Promise<number> {
  await forgetWebhooks(scene);
  const stalling = await registered(scene, () => "stall", []);
  const program = join(import.meta.dirname, "stalled.ts");
  const args = ["--expose-gc", "--import", "tsx/esm", program, stalling.url, String(STALLING)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  stalling.close();
  return Number(stdout);
}

/** Milliseconds from the answer to a key's deletion to the end of its socket on the other server: the slowest of ten. */
async function revocations({ tenant, servers }: Scene): Promise<number> {
  let slowest = 0;
  for (let count = 0; count < 10; count += 1) {
    const { body } = await tenant.rest("POST", "/api/api-keys", { label: "short-lived" });
    const client = await listen(servers.urls[1] ?? "", { token: body["token"] });
    const ended = client.next("disconnect");
    await tenant.rest("DELETE", `/api/api-keys/${body["id"]}`);
    const begun = performance.now();
    await ended;
    slowest = Math.max(slowest, performance.now() - begun);
  }
  return slowest;
}
