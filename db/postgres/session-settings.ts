import type { ClientBase } from "pg";

const SETTINGS = [
  // The next three settings: seconds without traffic before the first keepalive probe, seconds between two probes, and
  // number of probes without a response. An unreachable server is detected after nine seconds in total.
  ["tcp_keepalives_idle", "5"],
  ["tcp_keepalives_interval", "1"],
  ["tcp_keepalives_count", "4"],
  // Parallel workers are off. Starting parallel workers takes longer than most reads, and one read would use the CPU
  // cores that other reads need.
  ["max_parallel_workers_per_gather", "0"],
];

const TEXT = `select ${SETTINGS.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(", ")}`;

/**
 * Sets up a new connection to PostgreSQL. Each statement uses a single process. PostgreSQL checks whether the Trackway
 * server is still reachable, and otherwise ends the session. PostgreSQL's timeouts limit the time between two
 * statements, but not the wait for the rest of a packet. Without the check, an unreachable server would therefore hold
 * locks until TCP gives up, two hours by default. Behind a pooler, the settings apply to the pooler's connection and do
 * no harm.
 */
export async function setUpConnection(client: ClientBase): Promise<void> {
  await client.query(TEXT).catch(() => {});
}
