import { isUuid } from "../../../../formats/uuid.ts";
import type { StoredObservation } from "../store/observation-rows.ts";

/** Marks a turn that another session named first: with it the name is no UUID, and its event is one of its own session. */
const BORROWED = "borrowed ";

/** The id that an agent gave to a turn. */
export const spelledByAgent = (turn: string): string =>
  turn.startsWith(BORROWED) ? turn.slice(BORROWED.length) : turn;

/** Observations by whose turns no session's event is another's, and the parts of sessions that named one turn. */
interface Settled {
  stored: readonly StoredObservation[];
  shared: readonly (readonly string[])[];
}

const turnOf = ({ observation: { kind, id, turn } }: StoredObservation): string | undefined =>
  kind === "turn" ? id : turn;

/**
 * An event has the UUID that its agent gave the turn, whichever session it is of. Where several sessions name one UUID it
 * is that of the session that reported the turn first, and the others get events of their own.
 */
export function settleTurns(
  all: readonly StoredObservation[],
  sessionOf: (stored: StoredObservation) => string,
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
  if (named.size === 0) return { stored: all, shared: [] };
  for (const each of all) named.get(turnOf(each)?.toLowerCase() ?? "")?.push(each);
  const owners = new Map([...named].map(([id, each]) => [id, sessionOf(first(each, sessionOf))]));
  const stored = all.map((each) => {
    const owner = owners.get(turnOf(each)?.toLowerCase() ?? "");
    return owner === undefined || owner === sessionOf(each) ? each : borrowed(each);
  });
  return { stored, shared: [...named.values()].map((each) => each.map(({ part }) => part)) };
}

/** A report of the turn itself goes before one of what happened in it, then the one that arrived first. */
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
