import { Gauge, type Registry } from "prom-client";
import type { Runtime } from "../runtime.ts";

/** Rows are counted up to here, so that a scrape reads a bounded part of a backlog. */
const MOST = 100_000;
/** The least time between two reads, ms: several scrapers cost the database no more than one. */
const FRESH_MS = 10_000;

/** The states of the whole database: every server on it shows the same. Raw SQL: it reads across organizations. */
const GAUGES = {
  ingest_fold_lag_seconds: {
    help: "Age of the oldest observation of which no event is made yet, among the first in the table.",
    sql: `select coalesce(extract(epoch from now() - min(received_at)), 0)
            from (select received_at from recorded_unfolded limit ${MOST}) u`,
  },
  webhook_deliveries_waiting: {
    help: `Deliveries of webhooks that are not made yet, counted up to ${MOST}.`,
    sql: `select count(*) from (select from delivery where status = 'pending' limit ${MOST}) d`,
  },
  webhook_delivery_lag_seconds: {
    help: "Time by which the oldest delivery that is due is late.",
    sql: `select coalesce(greatest(extract(epoch from now() - min("nextAttemptAt")), 0), 0)
            from (select "nextAttemptAt" from delivery where status = 'pending' limit ${MOST}) d`,
  },
  webhooks_failing: {
    help: "Webhooks whose last attempt failed.",
    sql: `select count(*) from (select from webhook where "failingSince" is not null limit ${MOST}) w`,
  },
  issue_leases: {
    help: `Issues that somebody holds, counted up to ${MOST}.`,
    sql: `select count(*) from (select from "issueLease" limit ${MOST}) l`,
  },
  issue_lease_overdue_seconds: {
    help: "Time by which the oldest check of a lease is late.",
    sql: `select coalesce(greatest(extract(epoch from now() - min("checkAt")), 0), 0) from "issueLease"`,
  },
  database_size_bytes: {
    help: "Size of the database; with tables on several nodes, the part on the first.",
    sql: "select pg_database_size(current_database())",
  },
} as const;

type Name = keyof typeof GAUGES;
const NAMES = Object.keys(GAUGES) as Name[];

const TEXT = `select ${NAMES.map((name) => `(${GAUGES[name].sql})::float8 as ${name}`).join(", ")}`;

/** Shows the states of the database, read at most once in ten seconds. They are absent while it does not answer. */
export function databaseGauges({ db, log }: Runtime, registry: Registry): void {
  let readAt = Number.NEGATIVE_INFINITY;
  let values: Promise<Record<Name, number> | undefined> | undefined;
  const read = () =>
    db
      .as("upkeep", () => db.query<Record<Name, number>>({ name: "metrics", text: TEXT, values: [] }))
      .then(
        ([row]) => row,
        (error) => {
          log.debug({ err: error }, "states of the database not read");
          return undefined;
        },
      );
  const fresh = () => {
    if (performance.now() - readAt < FRESH_MS) return values;
    readAt = performance.now();
    values = read();
    return values;
  };
  for (const name of NAMES) {
    new Gauge({
      name,
      help: GAUGES[name].help,
      registers: [registry],
      async collect() {
        const row = await fresh();
        if (row) this.set(row[name]);
        else this.remove();
      },
    });
  }
}
