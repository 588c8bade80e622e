import { startInterval } from "../../../concurrency/interval.ts";
import { liveCredentials } from "../../auth/live.ts";
import type { Runtime } from "../../runtime.ts";
import { type Client, closeClient } from "./client.ts";

/** The interval of checks of credentials: with the query itself, a revoked one keeps its socket less than 1 s. */
const CHECK_MS = 400;

/** Closes the clients whose credential is revoked or expires. Returns the way to stop. */
export function watchCredentials({ db, log }: Runtime, clients: ReadonlySet<Client>): () => void {
  return startInterval(CHECK_MS, () =>
    closeDead(db, clients).catch((error) => log.debug({ err: error }, "credentials not looked at; tried again")),
  );
}

async function closeDead(db: Runtime["db"], clients: ReadonlySet<Client>): Promise<void> {
  for (const client of clients) {
    if ((client.principal.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) closeClient(client, "expired");
  }
  const held = [...clients].filter((client) => client.open);
  const distinct = new Map(held.map(({ principal: one }) => [`${one.credentialId} ${one.organizationId}`, one]));
  const isLive = await liveCredentials(db, [...distinct.values()]);
  for (const client of held) if (!isLive(client.principal)) closeClient(client, "revoked");
}
