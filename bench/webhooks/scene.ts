import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { sendGraphQL, type Tenant } from "../../test/support/server.ts";
import { type Behaviour, type Receiver, startTortureReceiver } from "./receivers.ts";
import type { Servers } from "./servers.ts";

export interface Scene {
  tenant: Tenant;
  teamId: string;
  servers: Servers;
  db: pg.Client;
}

/** One checked figure, and whether the figure is within its limit. */
export interface Finding {
  what: string;
  figure: string;
  held: boolean;
}

/** A figure that must not exceed its limit. */
export const checkLimit = (what: string, figure: number, limit: number): Finding => ({
  what,
  figure: `${Math.round(figure)} (limit ${limit})`,
  held: figure <= limit,
});

/** Starts a receiver and registers the receiver `times` times. */
export async function registerReceiver(
  { tenant }: Scene,
  choose: () => Behaviour,
  resourceTypes: string[],
  times = 1,
): Promise<Receiver> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const receiver = await startTortureReceiver(secret, choose);
  for (let count = 0; count < times; count += 1) {
    await tenant.rest("POST", "/api/webhooks", { target: receiver.url, resourceTypes, secret });
  }
  return receiver;
}

/** Deletes every webhook and its waiting deliveries. */
export async function forgetWebhooks(scene: Scene): Promise<void> {
  try {
    await scene.db.query("delete from webhook");
    await scene.db.query("delete from delivery");
  } catch (error) {
    // The servers write to the same rows. After a deadlock, one of the transactions must be repeated.
    if ((error as { code?: string }).code !== "40P01") throw error;
    await forgetWebhooks(scene);
  }
}

/** Starts writers that continue when servers are killed. Some issues also get a comment. */
export function startWriters({ tenant, teamId, servers }: Scene, writers: number, pauseMs: number) {
  let [stopped, answered] = [false, 0];
  const write = async (query: string, input: object, url: string) => {
    const { data } = await sendGraphQL(url, tenant.apiKey, { query, variables: { input } });
    if (data) answered += 1;
    return data;
  };
  const loop = async (writer: number) => {
    for (let turn = writer; !stopped; turn += 1) {
      const url = servers.urls[turn % servers.urls.length] ?? "";
      try {
        const made = await write(ISSUE, { teamId, title: `By writer ${writer}, ${turn}` }, url);
        if (made && turn % 20 === 0) await write(COMMENT, { issueId: made.issueCreate.issue.id, body: "Here" }, url);
        await sleep(pauseMs);
      } catch {
        await sleep(100); // The server is down.
      }
    }
  };
  const all = Promise.all(Array.from({ length: writers }, (_, at) => loop(at)));
  return {
    async stop() {
      stopped = true;
      await all;
      return answered;
    },
  };
}

const ISSUE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";
const COMMENT = "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }";
