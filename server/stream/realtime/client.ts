import type { Principal } from "../../auth/principal.ts";
import type { Batch, Connection } from "./frames/index.ts";

/** One connected client. */
export interface Client {
  principal: Principal & { organizationId: string };
  connection: Connection;
  /** Number of the last change written to it: nothing up to there is written again. */
  cursor: number;
  /** False once it is closed. */
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

/** Closes a client with its reason. */
export function closeClient(client: Client, reason: keyof typeof CLOSING): void {
  if (!client.open) return;
  client.open = false;
  const [code, words] = CLOSING[reason];
  client.connection.close(code, words);
}

/** Writes a batch that begins right after the client's cursor. A client that reads too slowly is dropped instead. */
export function writeTo(client: Client, batch: Batch, sent?: () => void): void {
  if (!client.open) return;
  const waiting = client.connection.buffered();
  // One batch may be larger than the buffer is meant to be: with nothing else waiting it goes out.
  if (waiting > 0 && waiting + batch.frames.length > MAX_BUFFERED) {
    client.open = false;
    client.connection.cut();
    return;
  }
  client.cursor = batch.last;
  client.connection.write(batch, sent);
}
