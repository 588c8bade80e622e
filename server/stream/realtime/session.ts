import type { Principal } from "../../auth/principal.ts";
import type { Batch, Connection } from "./frames/index.ts";

/** One connected client. */
export interface Session {
  principal: Principal & { organizationId: string };
  connection: Connection;
  /** Number of the last change written to it: nothing up to there is written again. */
  cursor: number;
  /** False once it is closed, for whatever reason. */
  open: boolean;
}

/** Most bytes that wait in this process for one client. */
const MAX_BUFFERED = 1024 * 1024;

/** Why a socket is closed, as a WebSocket close code and its reason. */
const CLOSING = {
  shutdown: [1001, "the server is shutting down"],
  unavailable: [1013, "the change log cannot be read now; connect again"],
  revoked: [4401, "the credential was revoked"],
  expired: [4401, "the access token expired"],
  gap: [4409, "the change log no longer continues here; connect again with lastSyncId"],
} as const;

/** Closes a session with its reason. */
export function closeSession(session: Session, reason: keyof typeof CLOSING): void {
  if (!session.open) return;
  session.open = false;
  const [code, words] = CLOSING[reason];
  session.connection.close(code, words);
}

/** Writes a batch that begins right after the session's cursor. A client that reads too slowly is dropped instead. */
export function writeTo(session: Session, batch: Batch, sent?: () => void): void {
  if (!session.open) return;
  const waiting = session.connection.buffered();
  // One batch may be larger than the buffer is meant to be: with nothing else waiting it goes out.
  if (waiting > 0 && waiting + batch.frames.length > MAX_BUFFERED) {
    session.open = false;
    session.connection.cut();
    return;
  }
  session.cursor = batch.last;
  session.connection.write(batch, sent);
}
