import { setTimeout as sleep } from "node:timers/promises";
import { type Follower, followQuery, followRealtime } from "./followers.ts";
import type { Behaviour, Receiver } from "./receivers.ts";
import { checkLimit, type Finding, forgetWebhooks, registerReceiver, type Scene, startWriters } from "./scene.ts";

export const KILLS = Number(process.env["TORTURE_KILLS"] ?? 20);
const WRITERS = 16;
const PAUSE_MS = 200;
/**
 * Time in ms in which every delivery must arrive after the last kill. Claims expire after 20 s, a stalled exchange
 * ends after 10 s.
 */
const CATCH_UP_MS = 600_000;
const LIMITS = { exchangeMs: 11_000, sentMB: 8 };

const among =
  (...behaviours: Behaviour[]) =>
  () =>
    behaviours[Math.floor(Math.random() * behaviours.length)] ?? "accept";

/**
 * Kills servers while sixteen writers write and receivers misbehave.
 * Afterwards, every follower must have exactly the log.
 */
export async function tortureWithKills(scene: Scene): Promise<Finding[]> {
  const { tenant, servers } = scene;
  const receivers = {
    healthy: await registerReceiver(scene, () => "accept", ["Issue", "Comment"]),
    flaky: await registerReceiver(scene, among("accept", "accept", "fail", "drop"), ["Issue"]),
    mean: await registerReceiver(
      scene,
      among("accept", "accept", "accept", "fail", "drop", "stall", "drip", "flood", "flood"),
      ["Comment"],
    ),
    dead: await registerReceiver(scene, () => "stall", ["Issue", "Comment"]),
  };
  const followers = [
    ...servers.urls.map((url, at) => followRealtime(`realtime ${at + 1}`, url, tenant.apiKey)),
    followQuery(servers.urls, tenant.apiKey),
  ];
  const writing = startWriters(scene, WRITERS, PAUSE_MS);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(500 + Math.random() * 1_500);
    await servers.killOne();
  }
  const written = await writing.stop();
  const log = await logOf(scene);
  await caughtUp(scene, followers, receivers, log);
  for (const one of followers) one.stop();
  const findings = [
    {
      what: "changes in the log",
      figure: `${log.length} (${written} mutations answered)`,
      held: log.length >= written,
    },
    ...followers.map((one) => judgeFollower(one, log)),
    judgeReceiver("healthy webhook", receivers.healthy, log, ["Issue", "Comment"]),
    judgeReceiver("webhook that fails and drops", receivers.flaky, log, ["Issue"]),
    judgeReceiver("webhook that fails, drops, stalls, drips, floods", receivers.mean, log, ["Comment"]),
    checkLimit("longest exchange, ms", Math.max(receivers.mean.longest, receivers.dead.longest), LIMITS.exchangeMs),
    checkLimit("most of 300 MB sent, MB", receivers.mean.mostSent / 1024 / 1024, LIMITS.sentMB),
  ];
  for (const receiver of Object.values(receivers)) receiver.close();
  await forgetWebhooks(scene);
  return findings;
}

interface Logged {
  number: number;
  type: string;
}

const logOf = async ({ db, tenant }: Scene): Promise<Logged[]> =>
  (
    await db.query(
      `select "lastSyncId"::integer as number, type from change where "organizationId" = $1 order by "lastSyncId"`,
      [tenant.organizationId],
    )
  ).rows;

/**
 * Waits until all followers have every change. Makes retries that wait for minutes or hours due at once; these
 * retries do not count.
 */
async function caughtUp(
  { db }: Scene,
  followers: Follower[],
  receivers: Record<"healthy" | "flaky" | "mean", Receiver>,
  log: Logged[],
) {
  const until = Date.now() + CATCH_UP_MS;
  const missing = () =>
    followers.some(({ seen }) => seen.length < log.length) || judgeAll(receivers, log).some(({ held }) => !held);
  while (missing() && Date.now() < until) {
    await db.query(
      `update delivery set tries = 0, "nextAttemptAt" = now() where status = 'pending' and "leasedUntil" is null and "nextAttemptAt" > now()`,
    );
    await sleep(500);
  }
}

const judgeAll = (receivers: Record<"healthy" | "flaky" | "mean", Receiver>, log: Logged[]) => [
  judgeReceiver("", receivers.healthy, log, ["Issue", "Comment"]),
  judgeReceiver("", receivers.flaky, log, ["Issue"]),
  judgeReceiver("", receivers.mean, log, ["Comment"]),
];

function judgeFollower({ name, seen, complaints }: Follower, log: Logged[]): Finding {
  const wrong = log.filter(({ number }, at) => seen[at] !== number).length + Math.max(0, seen.length - log.length);
  return {
    what: `follower by ${name}`,
    figure: `${seen.length} seen, ${wrong} wrong, ${complaints.length} complaints`,
    held: wrong + complaints.length === 0,
  };
}

function judgeReceiver(
  what: string,
  { accepted, requests, badSignatures }: Receiver,
  log: Logged[],
  types: string[],
): Finding {
  const wanted = log.filter(({ type }) => types.includes(type)).map(({ number }) => number);
  const missed = wanted.filter((number) => !accepted.has(number)).length;
  const strange = accepted.size - (wanted.length - missed);
  const renamed = [...accepted.values()].filter(({ size }) => size > 1).length;
  const figure = `${wanted.length} changes, ${requests} requests, ${missed} missed, ${strange} strange, ${renamed} under two ids, ${badSignatures} bad signatures`;
  return { what, figure, held: missed + strange + renamed + badSignatures === 0 };
}
