import pg from "pg";
import { ownCluster } from "../../test/support/db/postgres.ts";
import { freshOrganization } from "../../test/support/server.ts";
import { makeTeam } from "../../test/support/tracker/stream-writes.ts";
import { inCalm } from "./calm.ts";
import { KILLS, underKills } from "./kills.ts";
import type { Scene } from "./scene.ts";
import { startServers } from "./servers.ts";

const SERVERS = 2;

/**
 * Kills servers while sixteen writers write and receivers misbehave; followers by realtime, query and webhook must each
 * end with exactly the log. Then, without kills, what a stalling receiver costs and whether a healthy one waits for it.
 * Prints a table and a line of JSON; resolves to whether everything held.
 */
export async function tortureWebhooks(): Promise<boolean> {
  const cluster = await ownCluster();
  const off = { GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off", LOGIN_THROTTLE: "off" };
  const secret = "a secret of the tortures, long enough to be one";
  const env = { DATABASE_URL: cluster.url, JWT_SECRET: secret, WEBHOOK_ALLOW_PRIVATE: "on", ...off };
  const servers = await startServers(SERVERS, env);
  const db = new pg.Client(cluster.url);
  try {
    await db.connect();
    const tenant = await freshOrganization({ url: servers.urls[0] });
    const scene: Scene = { tenant, teamId: await makeTeam(tenant), servers, db };
    const killed = await underKills(scene);
    const calm = await inCalm(scene);
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
