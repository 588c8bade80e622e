import { groupBy } from "../../../../formats/groups.ts";
import { isUuid } from "../../../../formats/uuid.ts";
import type { StoredObservation } from "../store/observation-rows.ts";

/**
 * Prefix for a turn that another session named first. With the prefix, the name is not a UUID, so the event gets an id
 * of its own session.
 */
const BORROWED = "borrowed ";

/** Returns the agent's own id of a turn, without the prefix BORROWED. */
export const toAgentTurnId = (turn: string): string => (turn.startsWith(BORROWED) ? turn.slice(BORROWED.length) : turn);

/**
 * Observations after shared turns are resolved: no two sessions use the same event id for a turn. `shared` contains
 * groups of parts; the sessions of one group named the same turn.
 */
interface Settled {
  stored: readonly StoredObservation[];
  /** Observations that were copied from a session that also reports the turn. Copied observations create no events. */
  copies: ReadonlySet<StoredObservation>;
  shared: readonly (readonly string[])[];
}

const turnOf = ({ observation: { kind, id, turn } }: StoredObservation): string | undefined =>
  kind === "turn" ? id : turn;

/** Finds the sessions of an observation, by their ids in the database. */
export interface SessionFinder {
  own(stored: StoredObservation): string;
  /** Sessions from which the observation may be copied. */
  origins(stored: StoredObservation): readonly string[];
}

/**
 * Handles turns that several sessions name with the same UUID. The agent's UUID is the id of the turn's event, so only
 * one session can keep the turn under this id. If a session copied the turn from another of these sessions, only the
 * original session keeps the turn. Otherwise the session that reported the turn first keeps the id, and the other
 * sessions get events with ids of their own.
 */
export function resolveSharedTurns(
  all: readonly StoredObservation[],
  { own: sessionOf, origins }: SessionFinder,
): Settled {
  const sessions = new Map<string, string>();
  const named = new Map<string, StoredObservation[]>();
  for (const each of all) {
    const turn = turnOf(each);
    if (turn === undefined || !isUuid(turn)) continue;
    const [id, session] = [turn.toLowerCase(), sessionOf(each)];
    const known = sessions.get(id);
    if (known === undefined) sessions.set(id, session);
    else if (known !== session) named.set(id, []);
  }
  if (named.size === 0) return { stored: all, copies: new Set(), shared: [] };
  for (const each of all) named.get(turnOf(each)?.toLowerCase() ?? "")?.push(each);
  const copies = new Set([...named.values()].flatMap((each) => copiesAmong(each, { own: sessionOf, origins })));
  const owners = new Map(
    [...named].map(([id, each]) => [
      id,
      sessionOf(
        first(
          each.filter((one) => !copies.has(one)),
          sessionOf,
        ),
      ),
    ]),
  );
  const stored = all.map((each) => {
    const owner = owners.get(turnOf(each)?.toLowerCase() ?? "");
    return owner === undefined || owner === sessionOf(each) || copies.has(each) ? each : borrowed(each);
  });
  return { stored, copies, shared: [...named.values()].map((each) => each.map(({ part }) => part)) };
}

/**
 * Returns the copied reports of one turn. A report is a copy if its session continues another session that also reports
 * the turn, and if the chain of continued sessions ends at a session without an origin. If no chain ends, because
 * sessions name only each other as origin, no session copied the turn from a known recording, and every session keeps
 * its report.
 */
function copiesAmong(all: readonly StoredObservation[], { own, origins }: SessionFinder): StoredObservation[] {
  const naming = new Set(all.map(own));
  const originsIn = (each: StoredObservation) =>
    origins(each).filter((origin) => origin !== own(each) && naming.has(origin));
  const continuations = all.flatMap((each) => originsIn(each).map((origin) => ({ origin, session: own(each) })));
  const byOrigin = groupBy(continuations, ({ origin }) => origin);
  // Begins with the sessions without an origin. The loop also visits the sessions that it adds.
  const continuing = new Set(continuations.map(({ session }) => session));
  const rooted = new Set([...naming].filter((session) => !continuing.has(session)));
  for (const origin of rooted) for (const { session } of byOrigin.get(origin) ?? []) rooted.add(session);
  return all.filter((each) => originsIn(each).some((origin) => rooted.has(origin)));
}

/**
 * Returns the first report. Reports of the turn itself come before reports of events inside the turn; among these, the
 * earliest arrival comes first.
 */
const first = (all: readonly StoredObservation[], sessionOf: (stored: StoredObservation) => string) =>
  all.reduce((one, other) => {
    const inTurn = Number(one.observation.kind !== "turn") - Number(other.observation.kind !== "turn");
    const order = inTurn || one.receivedAt - other.receivedAt || (sessionOf(one) < sessionOf(other) ? -1 : 1);
    return order <= 0 ? one : other;
  });

function borrowed({ observation, ...rest }: StoredObservation): StoredObservation {
  const { kind, id, turn } = observation;
  const name = (each: string) => BORROWED + each.toLowerCase();
  return {
    ...rest,
    observation: {
      ...observation,
      ...(kind === "turn" && id !== undefined && { id: name(id) }),
      ...(turn !== undefined && isUuid(turn) && { turn: name(turn) }),
    },
  };
}
