import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "../../test/support/db/postgres.ts";
import type { FaultKind, Nodes } from "./cluster.ts";
import type { Fleet } from "./fleet.ts";

export interface Fault {
  name: string;
  /** True when the fault may leave a lock behind. Such faults are 15 s apart. */
  holds: boolean;
  /** The database node that the fault takes away; 0 is the coordinator, which affects every node. */
  node?: number;
  /** Resolves when the fault is over and any struck server works again. */
  strike(fleet: Fleet, at: number): Promise<void>;
}

/** Durations of a freeze in ms, shorter and longer than the database's time-outs. */
const FROZEN_MS = [500, 3_000, 20_000];
const NODE_AWAY_MS: Record<FaultKind, number> = { killed: 4_000, frozen: 60_000 };

const oneOf = <T>(values: readonly T[]): T | undefined => values[Math.floor(Math.random() * values.length)];

/** A server freezes between two statements of a transaction. Only the database can end this fault. */
export const HOLDER_FROZEN: Fault = {
  name: "frozen with an organization's row",
  holds: true,
  async strike(fleet, at) {
    await freezeHolder(fleet, at);
    await sleep(20_000);
    fleet.signal(at, "SIGCONT");
  },
};

/** Kills with and without warning, freezes, and connections ended by the database. */
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

/** A database node is killed or frozen and returns. Organizations on the node wait; other organizations continue. */
export function nodeFaults({ workers, coordinator, strike }: Nodes): Fault[] {
  const each = (name: string, node: Nodes["coordinator"], blow: FaultKind): Fault => ({
    name: `${name} ${blow}`,
    holds: true,
    node: node.group,
    strike: () => strike(node, blow, NODE_AWAY_MS[blow]),
  });
  return [
    ...workers.flatMap((node, at) => [
      each(`worker ${at + 1} of the database`, node, "killed"),
      each(`worker ${at + 1} of the database`, node, "frozen"),
    ]),
    each("the coordinator of the database", coordinator, "killed"),
  ];
}

const HOLDER = `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
  and xact_start < clock_timestamp() - interval '0.2 s'`;

/** Freezes a server between two statements of a transaction. Gives up after 50 attempts. */
async function freezeHolder(fleet: Fleet, at: number): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    fleet.signal(at, "SIGSTOP");
    await sleep(250);
    if ((await runSql(fleet.databaseUrl, HOLDER)).length > 0) return;
    fleet.signal(at, "SIGCONT");
    await sleep(Math.random() * 100);
  }
}
