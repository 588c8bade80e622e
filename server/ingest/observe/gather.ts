import { toUnavailable } from "../../../db/errors/sqlstate.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Recorded } from "./index.ts";
import type { Observation } from "./observation.ts";

/** Makes observations durable before it resolves. `lockMs`: how long it may wait for a row that another transaction holds. */
export type Recording = (key: IngestKey, observations: readonly Observation[], lockMs?: number) => Promise<Recorded>;

/** A request that waits for its transaction. */
interface Waiting {
  observations: readonly Observation[];
  /** What it tells of: sessions and traces as they are spelled. */
  names: readonly string[];
  resolve(recorded: Recorded): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

/** The requests of one key. */
interface Lane {
  key: IngestKey;
  waiting: Waiting[];
  /** Transactions that run, and when the last of them began. */
  running: number;
  begun: number;
  /** What they tell of. */
  busy: Set<string>;
  timer: NodeJS.Timeout | undefined;
}

interface State {
  lanes: Map<string, Lane>;
  waiting: number;
  record: Recording;
}

/** What tells more is an export, which has a transaction of its own. */
const FEW = 16;
/** What a transaction takes, in observations and characters of their texts. */
const MOST = { observations: 64, chars: 2 * 1024 * 1024 };
/** Transactions of a key at once: another one begins beside one that has taken so long, which may wait for a lock. */
const PARALLEL = 3;
const SLOW_MS = 20;
/** So long a shared transaction waits for a lock; then each request goes by itself, and only those wait that need it. */
const SHARED_LOCK_MS = 50;
const MAX_WAITING = 2_000;
const MAX_WAIT_MS = 10_000;

/**
 * What small requests of one key tell while a transaction of that key runs shares the next one: the hooks of a session
 * change the same rows, so each would wait for the commits of all that came before it, one after the other. This is for
 * speed only: other processes gather for themselves, and the locks in the database keep all of them apart.
 */
export function gathering(record: Recording): Recording {
  const state: State = { lanes: new Map(), waiting: 0, record };
  return (key, observations) => {
    if (observations.length > FEW) return record(key, observations);
    if (state.waiting >= MAX_WAITING) return Promise.reject(new Unavailable("Too many requests are waiting"));
    return new Promise((resolve, reject) => wait(state, laneOf(state, key), { observations, resolve, reject }));
  };
}

function laneOf({ lanes }: State, key: IngestKey): Lane {
  const known = lanes.get(key.id);
  if (known) return known;
  const lane = { key, waiting: [], running: 0, begun: 0, busy: new Set<string>(), timer: undefined };
  lanes.set(key.id, lane);
  return lane;
}

function wait(state: State, lane: Lane, request: Pick<Waiting, "observations" | "resolve" | "reject">): void {
  const names = [...new Set(request.observations.flatMap(({ session, trace }) => [session ?? [], trace ?? []].flat()))];
  const expire = () => {
    lane.waiting.splice(lane.waiting.indexOf(own), 1);
    state.waiting -= 1;
    request.reject(new Unavailable("The database did not take the observations in time"));
  };
  const own: Waiting = { ...request, names, timer: setTimeout(expire, MAX_WAIT_MS) };
  lane.waiting.push(own);
  state.waiting += 1;
  // After the requests that arrived in the same round of the event loop have been read.
  if (lane.waiting.length === 1) setImmediate(begin, state, lane);
  else begin(state, lane);
}

function begin(state: State, lane: Lane): void {
  clearTimeout(lane.timer);
  lane.timer = undefined;
  while (mayBegin(lane)) {
    const load = draw(lane);
    if (load.length === 0) return;
    state.waiting -= load.length;
    void store(state, lane, load);
  }
  if (lane.waiting.length > 0 && lane.running < PARALLEL) lane.timer = setTimeout(begin, SLOW_MS, state, lane);
}

const mayBegin = ({ waiting, running, begun }: Lane): boolean =>
  waiting.length > 0 && (running === 0 || (running < PARALLEL && performance.now() - begun >= SLOW_MS));

/** Takes what waits, but for what would only wait for a lock of the transactions that run. */
function draw(lane: Lane): Waiting[] {
  const drawn: Waiting[] = [];
  const left: Waiting[] = [];
  let { observations, chars } = MOST;
  for (const request of lane.waiting) {
    const size = request.observations.reduce((sum, each) => sum + charsOf(each), 0);
    const fits = drawn.length === 0 || (request.observations.length <= observations && size <= chars);
    if (!fits || request.names.some((name) => lane.busy.has(name))) {
      left.push(request);
      continue;
    }
    clearTimeout(request.timer);
    observations -= request.observations.length;
    chars -= size;
    drawn.push(request);
  }
  lane.waiting = left;
  return drawn;
}

const charsOf = ({ args, result, error }: Observation): number =>
  (args?.text.length ?? 0) + (result?.text.length ?? 0) + (error?.length ?? 0);

async function store(state: State, lane: Lane, load: readonly Waiting[]): Promise<void> {
  const names = load.flatMap((request) => request.names);
  for (const name of names) lane.busy.add(name);
  lane.running += 1;
  lane.begun = performance.now();
  await settle(state, lane.key, load);
  lane.running -= 1;
  for (const name of names) lane.busy.delete(name);
  if (lane.waiting.length > 0) begin(state, lane);
  else if (lane.running === 0) state.lanes.delete(lane.key.id);
}

/** Stores requests in one transaction; when one of them may be to blame for its failure, each by itself. It never throws. */
async function settle(state: State, key: IngestKey, load: readonly Waiting[]): Promise<void> {
  try {
    const all = load.flatMap(({ observations }) => observations);
    answer(await state.record(key, all, load.length > 1 ? SHARED_LOCK_MS : undefined), load);
  } catch (error) {
    if (load.length === 1 || !mayBeOnes(error)) for (const { reject } of load) reject(error);
    else await Promise.all(load.map((request) => settle(state, key, [request])));
  }
}

/** Whether the failure may be that of a single request: of its rows, or of a lock that it waits for. */
function mayBeOnes(error: unknown): boolean {
  const cause = error instanceof Unavailable ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  const waited = /^(55P03|57014)$/.test(String(Reflect.get(cause, "code")));
  return waited || !(toUnavailable(cause) instanceof Unavailable);
}

function answer(recorded: Recorded, load: readonly Waiting[]): void {
  let from = 0;
  for (const { observations, resolve } of load) {
    const [first, end] = [from, from + observations.length];
    from = end;
    if (recorded.key === "deleted") resolve(recorded);
    else {
      const own = recorded.rejected.filter(({ index }) => index >= first && index < end);
      resolve({ key: "valid", rejected: own.map(({ index, reason }) => ({ index: index - first, reason })) });
    }
  }
}
