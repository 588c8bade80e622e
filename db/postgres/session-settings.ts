import type { ClientBase } from "pg";

const SETTINGS = [
  // Seconds of silence, and then so many unanswered questions a second apart: nine seconds for all.
  ["tcp_keepalives_idle", "5"],
  ["tcp_keepalives_interval", "1"],
  ["tcp_keepalives_count", "4"],
  // To start workers takes longer than most reads, and one reader would take the cores of others.
  ["max_parallel_workers_per_gather", "0"],
];

const TEXT = `select ${SETTINGS.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(", ")}`;

/**
 * Sets up a new connection to PostgreSQL: statements run in one process each, and PostgreSQL asks whether our end is still
 * there, and ends what it left when nobody answers. Its time-outs bound the time between two statements, but no wait for
 * the rest of a packet: cut off there, a server would hold its locks for as long as TCP waits, two hours by default.
 * Behind a pooler the settings meet the pooler's own connection, where they do no harm.
 */
export async function setUpSession(client: ClientBase): Promise<void> {
  await client.query(TEXT).catch(() => {});
}
