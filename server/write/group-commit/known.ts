import { textBytes } from "../../cache.ts";

/** What a transaction knows of an organization from those before it, beside rows of small tables. */
export interface Known {
  /** A change of it is in no log, so that it has to be checked by itself. */
  urlKey: string | undefined;
  /** Whether a webhook is enabled. That there is none has to be checked by itself, for the same reason. */
  hooked: boolean | undefined;
  /** Who makes changes, by id, as JSON: as of the last change, since those of users are in the log. */
  actors: Map<string, string>;
  /** What those take. */
  actorBytes: number;
}

/** Most that are remembered of an organization. */
const MAX_ACTORS = 100;

/** Nothing yet. */
export const nothingKnown = (): Known => ({ urlKey: undefined, hooked: undefined, actors: new Map(), actorBytes: 0 });

/** The same, for a transaction that may yet fail. */
export const copyOf = (known: Known): Known => ({ ...known, actors: new Map(known.actors) });

/** Remembers who makes changes. */
export function noteActor(known: Known, id: string, actor: string): void {
  if (known.actors.size >= MAX_ACTORS) forgetActors(known);
  known.actors.set(id, actor);
  known.actorBytes += textBytes(id) + textBytes(actor);
}

/** Call when users may have changed. */
export function forgetActors(known: Known): void {
  known.actors.clear();
  known.actorBytes = 0;
}
