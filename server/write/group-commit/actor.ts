import type { Statement } from "../../../db/open.ts";
import type { Write } from "../write.ts";
import { forgetActors, noteActor } from "./known.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/** SQL of who made a change, as every stream shows it: of an agent also the person it acts for. */
export const actorSql = (organization: string, id: string): string => `(select case when u.app
      then json_build_object('id', u.id, 'type', 'app', 'name', u.name, 'email', u.email, 'onBehalfOf',
        (select json_build_object('id', p.id, 'name', p.name) from "user" p
          where p."organizationId" = ${organization} and p.id = u."onBehalfOfId"))
      else json_build_object('id', u.id, 'type', 'user', 'name', u.name, 'email', u.email) end from "user" u
    where u."organizationId" = ${organization} and u.id = ${id})`;

/**
 * Who makes the changes of a mutation, as JSON. Undefined where that is left to the statement that writes them: of the
 * server's own jobs, of what changes users itself, and where nothing is cached, so that it would be read for one time.
 */
export async function actorOf({ trx, scope, entries }: Write, shared: SharedTransaction): Promise<string | undefined> {
  const { known, version } = shared.rows;
  if (entries.some(({ entity }) => entity.name === "User")) {
    forgetActors(known);
    return undefined;
  }
  if (scope.system || version === undefined) return undefined;
  const remembered = known.actors.get(scope.userId);
  if (remembered !== undefined) return remembered;
  const [found] = await trx.query<{ actor: string | null }>(read(scope.organizationId, scope.userId));
  if (!found?.actor) return undefined;
  noteActor(known, scope.userId, found.actor);
  return found.actor;
}

const ACTOR = `select ${actorSql("$1::uuid", "$2::uuid")}::text as actor`;

const read = (organizationId: string, userId: string): Statement => ({
  name: "actor",
  text: ACTOR,
  values: [organizationId, userId],
  reads: ["user"],
  writes: [],
});
