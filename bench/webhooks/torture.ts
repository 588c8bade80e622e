import pg from "pg";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { createOrganization } from "../../test/support/server.ts";
import { createTeam } from "../../test/support/tracker/stream-writes.ts";
import { measureCalm } from "./calm.ts";
import { KILLS, tortureWithKills } from "./kills.ts";
import type { Scene } from "./scene.ts";
import { startServers } from "./servers.ts";

const SERVERS = 2;

/**
 * Kills servers while sixteen writers write and receivers misbehave. Followers by realtime, query and webhook must
 * each end with exactly the log. Then measures, without kills, the cost of a stalling receiver and the delays of a
 * healthy receiver beside it. Prints a table and a line of JSON. Resolves to true when every check held.
 */
export async function tortureWebhooks(): Promise<boolean> {
  const cluster = await startOwnCluster();
  const off = { GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off", LOGIN_THROTTLE: "off" };
  const secret = "a secret of the tortures, long enough to be one";
  const env = { DATABASE_URL: cluster.url, JWT_SECRET: secret, WEBHOOK_ALLOW_PRIVATE: "on", ...off };
  const servers = await startServers(SERVERS, env);
  const db = new pg.Client(cluster.url);
  try {
    await db.connect();
    const tenant = await createOrganization({ url: servers.urls[0] });
    const scene: Scene = { tenant, teamId: await createTeam(tenant), servers, db };
    const killed = await tortureWithKills(scene);
    const calm = await measureCalm(scene);
    const rows = [...killed, ...calm];
    console.table(rows);
    const held = rows.every(({ held: one }) => one);
    console.log(
      JSON.stringify({
        torture: "webhooks",
        kills: KILLS,
        servers: SERVERS,
        held,
        rows,
      }),
    );
    return held;
  } finally {
    await db.end();
    await servers.stop();
    cluster.remove();
  }
}
