import type { ClientBase } from "pg";
import { type Bounds, begunWith } from "../../../../db/statements/begin.ts";
import { lockOf } from "../../../resources/recorded/retention-lock.ts";
import { BOUNDS } from "../../store/copy-transaction.ts";

/**
 * Every row is found by its key. Left alone, PostgreSQL keeps the plans of prepared statements that it made while a
 * table was small, and they read all of it once it has grown, until it is analyzed again. For the same reason statements
 * find rows one by one (lateral, an upsert, a statement a row): where PostgreSQL takes the table to be small, it reads all
 * of an organization and filters by a list of keys, or by a join. And they do it in the order of the key: any other index that
 * begins with the organization is as good for a table of one row.
 */
const BY_KEY = ["seqscan", "hashjoin", "mergejoin", "sort"].map((way) => `set local enable_${way} = off`);

/**
 * The text that begins a transaction on observations: its bounds, the lock that retention respects, and first statements. Over
 * several nodes it has begun when this resolves.
 */
export const beginObserving = (
  client: ClientBase,
  { organizationId, bounds = BOUNDS }: { organizationId: string; bounds?: Bounds },
  statements: readonly string[] = [],
): Promise<string> =>
  begunWith(client, { bounds, settings: BY_KEY }, [
    `select pg_advisory_xact_lock_shared(${lockOf(organizationId)})`,
    ...statements,
  ]);
