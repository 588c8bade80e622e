import type { ClientBase } from "pg";

/** Seconds of silence, and then so many unanswered questions a second apart: nine seconds for all. */
const SETTINGS = [
  ["tcp_keepalives_idle", "5"],
  ["tcp_keepalives_interval", "1"],
  ["tcp_keepalives_count", "4"],
];

const TEXT = `select ${SETTINGS.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(", ")}`;

/**
 * Has PostgreSQL ask whether our end of a connection is still there, and end what it left when nobody answers. Its
 * time-outs bound the time between two statements, but no wait for the rest of a packet: cut off there, a server would
 * hold its locks for as long as TCP waits, two hours by default. Behind a pooler the settings meet the pooler's own
 * connection, where they do no harm.
 */
export async function endWhenCutOff(client: ClientBase): Promise<void> {
  await client.query(TEXT).catch(() => {});
}
