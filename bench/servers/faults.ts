import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "../../test/support/db/postgres.ts";
import type { Fleet } from "./fleet.ts";

/** A fault that is done to the servers. */
export interface Fault {
  name: string;
  /** True when it may leave a lock behind: such faults come 15 s apart. */
  holds: boolean;
  /** Resolves when it is over and the server, if one was struck, works again. */
  strike(fleet: Fleet, at: number): Promise<void>;
}

/** The time for which a frozen server stays so: longer than the database may wait for it, or shorter. */
const FROZEN_MS = [500, 3_000, 20_000];
const WORKER_DOWN_MS = 4_000;

const oneOf = <T>(values: readonly T[]): T | undefined => values[Math.floor(Math.random() * values.length)];

/** A server stops between two statements of a transaction: the fault that only the database can end. */
export const HOLDER_FROZEN: Fault = {
  name: "frozen with an organization's row",
  holds: true,
  async strike(fleet, at) {
    await freezeHolder(fleet, at);
    await sleep(20_000);
    fleet.signal(at, "SIGCONT");
  },
};

/** Kills, polite and not, pauses, and connections ended by the database. */
export const FAULTS: readonly Fault[] = [
  {
    name: "frozen",
    holds: true,
    async strike(fleet, at) {
      fleet.signal(at, "SIGSTOP");
      await sleep(oneOf(FROZEN_MS) ?? 0);
      fleet.signal(at, "SIGCONT");
    },
  },
  HOLDER_FROZEN,
  { name: "killed", holds: true, strike: (fleet, at) => fleet.restart(at, "SIGKILL") },
  { name: "restarted", holds: false, strike: (fleet, at) => fleet.restart(at, "SIGTERM") },
  {
    name: "connections ended",
    holds: false,
    strike: async ({ databaseUrl }) =>
      void (await runSql(
        databaseUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and pid <> pg_backend_pid() and application_name = 'trackway' and random() < 0.5`,
      )),
  },
];

/** A node of the database is killed and comes back: its organizations wait, the others go on. */
export const workerDown = (strikeWorker: (at: number, ms: number) => Promise<void>): Fault => ({
  name: "a worker of the database down",
  holds: true,
  strike: (_fleet, at) => strikeWorker(at, WORKER_DOWN_MS),
});

const HOLDER = `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
  and xact_start < clock_timestamp() - interval '0.2 s'`;

/** Freezes a server between two statements of a transaction, if one of some tries meets it there. */
async function freezeHolder(fleet: Fleet, at: number): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    fleet.signal(at, "SIGSTOP");
    await sleep(250);
    if ((await runSql(fleet.databaseUrl, HOLDER)).length > 0) return;
    fleet.signal(at, "SIGCONT");
    await sleep(Math.random() * 100);
  }
}
