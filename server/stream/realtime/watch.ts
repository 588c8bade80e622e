import { startInterval } from "../../../concurrency/interval.ts";
import { liveCredentials } from "../../auth/live.ts";
import type { Runtime } from "../../runtime.ts";
import { closeSession, type Session } from "./session.ts";

/** How often credentials are looked at again: with the look itself, a revoked one keeps its socket less than 1 s. */
const CHECK_MS = 400;

/** Closes the sessions whose credential is revoked or expires. Returns the way to stop. */
export function watchCredentials({ db, log }: Runtime, sessions: ReadonlySet<Session>): () => void {
  return startInterval(CHECK_MS, () =>
    closeDead(db, sessions).catch((error) => log.debug({ err: error }, "credentials not looked at; tried again")),
  );
}

async function closeDead(db: Runtime["db"], sessions: ReadonlySet<Session>): Promise<void> {
  for (const session of sessions) {
    if ((session.principal.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) closeSession(session, "expired");
  }
  const held = [...sessions].filter((session) => session.open);
  const distinct = new Map(held.map(({ principal: one }) => [`${one.credentialId} ${one.organizationId}`, one]));
  const isLive = await liveCredentials(db, [...distinct.values()]);
  for (const session of held) if (!isLive(session.principal)) closeSession(session, "revoked");
}
