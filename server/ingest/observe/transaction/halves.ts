import type { ClientBase } from "pg";
import { isRefusal, refusal } from "../../store/sqlstate.ts";
import type { Observation } from "../observation.ts";
import { type Owner, type Stored, storeObservations } from "./store.ts";

/** Halves that are tried; what is refused after them is refused as a whole. */
const MAX_HALVES = 64;

/** Stores what the database takes of observations it refused: halves, each under a savepoint, down to those to blame. */
export const storeByHalves = (
  client: ClientBase,
  owner: Owner,
  observations: readonly Observation[],
): Promise<Stored> => storePart({ client, owner, left: MAX_HALVES }, observations, 0);

interface Halves {
  client: ClientBase;
  owner: Owner;
  left: number;
}

async function storePart(halves: Halves, part: readonly Observation[], from: number): Promise<Stored> {
  const { client, owner } = halves;
  await client.query("savepoint part");
  try {
    const { rejected, sessions, unlocked } = await storeObservations(client, owner, part);
    await client.query("release savepoint part");
    return { rejected: new Map([...rejected].map(([index, reason]) => [index + from, reason])), sessions, unlocked };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await client.query("rollback to savepoint part; release savepoint part");
    halves.left -= 2;
    if (part.length === 1 || halves.left < 0)
      return { rejected: new Map(part.map((_, index) => [index + from, refusal(error)])), sessions: [], unlocked: [] };
  }
  const middle = Math.ceil(part.length / 2);
  const first = await storePart(halves, part.slice(0, middle), from);
  const second = await storePart(halves, part.slice(middle), from + middle);
  return {
    rejected: new Map([...first.rejected, ...second.rejected]),
    sessions: new Set([...first.sessions, ...second.sessions]),
    unlocked: [...first.unlocked, ...second.unlocked],
  };
}
