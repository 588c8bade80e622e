import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openSocket } from "../../test/support/stream/realtime.ts";
import { checkLimit, type Finding, forgetWebhooks, registerReceiver, type Scene, startWriters } from "./scene.ts";

const CALM_MS = 15_000;
/** Exchanges that stall together when their memory is measured: more than one process has in flight. */
const STALLING = 200;
const LIMITS = { stallKB: 64, exchangeMs: 11_000, delayMs: 1_000, cutMs: 1_000 };

/**
 * Measures without kills: the delays of a healthy receiver, alone and beside a stalling receiver, and the memory
 * of stalled exchanges.
 */
export async function measureCalm(scene: Scene): Promise<Finding[]> {
  const healthy = await registerReceiver(scene, () => "accept", ["Issue"]);
  const delays = async () => {
    healthy.delays.length = 0;
    const writing = startWriters(scene, 2, 100);
    await sleep(CALM_MS);
    await writing.stop();
    await sleep(1_000);
    return healthy.delays.toSorted((a, b) => a - b);
  };
  const alone = await delays();
  const stalled = await registerReceiver(scene, () => "stall", ["Issue"]);
  const beside = await delays();
  healthy.close();
  stalled.close();
  const weight = await weigh(scene);
  const cut = await revocations(scene);
  return [
    checkLimit("healthy alone: slowest, ms", alone.at(-1) ?? 0, LIMITS.delayMs),
    checkLimit("healthy beside a stalling one: slowest, ms", beside.at(-1) ?? 0, LIMITS.delayMs),
    { what: "of how many deliveries", figure: `${alone.length}, ${beside.length}`, held: beside.length > 50 },
    checkLimit("a stalled exchange, KB", weight, LIMITS.stallKB),
    checkLimit("a deleted key's socket on another server: slowest cut, ms", cut, LIMITS.cutMs),
    checkLimit("a stalled exchange, ms", stalled.longest, LIMITS.exchangeMs),
  ];
}

/** The memory of one of many stalled exchanges, in KB, in a dedicated process. */
async function weigh(scene: Scene): Promise<number> {
  await forgetWebhooks(scene);
  const stalling = await registerReceiver(scene, () => "stall", []);
  const program = join(import.meta.dirname, "stalled.ts");
  const args = ["--expose-gc", "--import", "tsx/esm", program, stalling.url, String(STALLING)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  stalling.close();
  return Number(stdout);
}

/**
 * Milliseconds from the response to a key's deletion until the other server
 * closes the key's socket: the slowest of ten.
 */
async function revocations({ tenant, servers }: Scene): Promise<number> {
  let slowest = 0;
  for (let count = 0; count < 10; count += 1) {
    const { body } = await tenant.rest("POST", "/api/api-keys", { label: "short-lived" });
    const client = await openSocket(servers.urls[1] ?? "", { token: body["token"] });
    const ended = client.next("disconnect");
    await tenant.rest("DELETE", `/api/api-keys/${body["id"]}`);
    const begun = performance.now();
    await ended;
    slowest = Math.max(slowest, performance.now() - begun);
  }
  return slowest;
}
