import type { ClientBase } from "pg";

const SETTINGS = [
  // Seconds without traffic before the first probe, seconds between probes, and number of unanswered probes: nine
  // seconds in total.
  ["tcp_keepalives_idle", "5"],
  ["tcp_keepalives_interval", "1"],
  ["tcp_keepalives_count", "4"],
  // Starting parallel workers takes longer than most reads, and one read would use the cores of others.
  ["max_parallel_workers_per_gather", "0"],
];

const TEXT = `select ${SETTINGS.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(", ")}`;

/**
 * Sets up a new connection to PostgreSQL. Statements use a single process each. PostgreSQL checks whether the Trackway
 * server is still reachable and otherwise ends the session. PostgreSQL's timeouts limit the time between two
 * statements, but not the wait for the rest of a packet. Without the check, an unreachable server would hold locks
 * until TCP gives up, two hours by default. Behind a pooler, the settings apply to the pooler's connection, where they
 * do no harm.
 */
export async function setUpSession(client: ClientBase): Promise<void> {
  await client.query(TEXT).catch(() => {});
}
