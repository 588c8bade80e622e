import type { Statement } from "../../../db/open.ts";
import type { Entity, Model } from "../../read/entity.ts";
import type { Write } from "../write.ts";
import { forgetActors, noteActor } from "./known.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/** The entity whose rows make changes. */
export function actors(model: Model): Entity & Required<Pick<Entity, "actor">> {
  const found = [...model.values()].find(({ actor }) => actor);
  if (!found) throw new Error("no entity makes changes");
  return found as Entity & Required<Pick<Entity, "actor">>;
}

/**
 * The author of a mutation's changes, as JSON. Undefined where that is left to the statement that writes them: for the
 * server's own jobs, for changes of authors themselves, and where nothing is cached, so that it would be read for one time.
 */
export async function actorOf(write: Write, shared: SharedTransaction): Promise<string | undefined> {
  const { trx, scope, model, entries } = write;
  const { known, version } = shared.rows;
  if (entries.some(({ entity }) => entity.actor)) {
    forgetActors(known);
    return undefined;
  }
  if (scope.system || version === undefined) return undefined;
  const remembered = known.actors.get(scope.userId);
  if (remembered !== undefined) return remembered;
  const [found] = await trx.query<{ actor: string | null }>(read(actors(model), scope));
  if (!found?.actor) return undefined;
  noteActor(known, scope.userId, found.actor);
  return found.actor;
}

const read = ({ actor, table }: ReturnType<typeof actors>, { organizationId, userId }: Write["scope"]): Statement => ({
  name: "actor",
  text: `select ${actor("$1::uuid", "$2::uuid")}::text as actor`,
  values: [organizationId, userId],
  reads: [table],
  writes: [],
});
