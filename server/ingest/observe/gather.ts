import { createGroupCommit, type Waiting } from "../../../concurrency/group-commit.ts";
import { toUnavailable } from "../../../db/errors/sqlstate.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Recorded } from "./index.ts";
import type { Observation } from "./observation.ts";

/** Makes observations durable before it resolves. `lockMs` bounds how long it waits for a row that another transaction holds. */
export type Recording = (key: IngestKey, observations: readonly Observation[], lockMs?: number) => Promise<Recorded>;

/** The observations of one request. */
interface Request {
  key: IngestKey;
  observations: readonly Observation[];
}

type Load = readonly Waiting<Request, Recorded>[];

/** A request with more observations is an export, which has a transaction of its own. */
const MAX_SHARING = 16;
/** The bound of one transaction, in observations and characters of their texts. */
const MOST = { rows: 64, bytes: 2 * 1024 * 1024 };
const PARALLEL = 3;
/** A shared transaction waits so long for a lock. Then each request goes by itself, and only those wait that need it. */
const SHARED_LOCK_MS = 50;
const REFUSALS = {
  full: "Too many requests are waiting",
  late: "The database did not take the observations in time",
};

/**
 * Lets small requests of one key that arrive while a transaction of that key runs share the next one. The hooks of a
 * session change the same rows, so each would wait for the commits of all before it. This is for speed only: other
 * processes gather for themselves, and the locks in the database keep all of them apart.
 */
export function gathering(record: Recording): Recording {
  const submit = createGroupCommit<Request, Recorded>({
    most: MOST,
    parallel: PARALLEL,
    maxWaiting: 2_000,
    maxWaitMs: 10_000,
    refusal: (reason) => new Unavailable(REFUSALS[reason]),
    commit: (load) => store(record, load),
  });
  return (key, observations) => {
    if (observations.length > MAX_SHARING) return record(key, observations);
    const names = observations.flatMap(({ session, trace }) => [session ?? [], trace ?? []].flat());
    const bytes = observations.reduce((sum, each) => sum + charsOf(each), 0);
    const demand = { key: key.id, rows: observations.length, bytes, names: [...new Set(names)] };
    return submit(key.id, { key, observations }, demand);
  };
}

const charsOf = ({ args, result, error }: Observation): number =>
  (args?.text.length ?? 0) + (result?.text.length ?? 0) + (error?.length ?? 0);

/** Stores requests in one transaction; when one of them may be to blame for its failure, each by itself. */
async function store(record: Recording, load: Load): Promise<void> {
  const [first] = load;
  if (!first) return;
  try {
    const all = load.flatMap(({ item }) => item.observations);
    answer(await record(first.item.key, all, load.length > 1 ? SHARED_LOCK_MS : undefined), load);
  } catch (error) {
    if (load.length === 1 || !mayBeOnes(error)) throw error;
    await Promise.all(load.map((one) => store(record, [one]).catch(one.reject)));
  }
}

/** Tells whether the failure may be that of a single request: of its rows, or of a lock that it waits for. */
function mayBeOnes(error: unknown): boolean {
  const cause = error instanceof Unavailable ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  const waited = /^(55P03|57014)$/.test(String(Reflect.get(cause, "code")));
  return waited || !(toUnavailable(cause) instanceof Unavailable);
}

function answer(recorded: Recorded, load: Load): void {
  let from = 0;
  for (const { item, resolve } of load) {
    const [first, end] = [from, from + item.observations.length];
    from = end;
    if (recorded.key === "deleted") resolve(recorded);
    else {
      const own = recorded.rejected.filter(({ index }) => index >= first && index < end);
      resolve({ key: "valid", rejected: own.map(({ index, reason }) => ({ index: index - first, reason })) });
    }
  }
}
