import { randomUUID } from "node:crypto";
import type { Statement } from "../../db/open.ts";
import type { Build, SqlRow } from "../read/entity.ts";
import { recordJson } from "../read/json.ts";
import { preparedStatement } from "../read/prepared-statement.ts";
import { caller, column, fieldValue, given, inTenant, newRow, organization } from "../read/row.ts";
import type { Entry, Write } from "./write.ts";

/** The statement that makes the webhook deliveries of a range of changes, which are written. */
export const deliveriesStatement = (
  organizationId: string,
  range: readonly [first: number, last: number],
): Statement => ({
  name: "deliveries",
  text: DELIVERIES,
  values: [organizationId, ...range, randomUUID()],
});

/** An id that nobody can guess, like gen_random_uuid(), of a seed: an insert that asks for random values runs on no node alone. */
const SEEDED_ID = `overlay(overlay(
    encode(substr(sha256(($4::text || w.id || c."lastSyncId")::bytea), 1, 16), 'hex') placing '4' from 13) placing '8' from 17)::uuid`;

const DELIVERIES = `insert into delivery (id, "organizationId", "webhookId", "lastSyncId", "nextAttemptAt", "createdAt")
  select ${SEEDED_ID}, c."organizationId", w.id, c."lastSyncId", c."createdAt", c."createdAt"
    from change c join webhook w on w."organizationId" = c."organizationId" and w.enabled
      and (w."teamId" is null or w."teamId" = c."teamId")
      and (w."resourceTypes" is null or c.type = any(w."resourceTypes"))
   where c."organizationId" = $1 and w."organizationId" = $1 and c."lastSyncId" between $2 and $3 offset 0`;

/** What the changes of a mutation are written with. */
interface Logged {
  /** The number of the first. */
  base: number;
  /** The organization's: part of every address. */
  urlKey: string;
}

/**
 * The statement that writes every waiting change. It reads what the rows look like where they were just written. Raw SQL:
 * the read planner writes the rows' JSON. The organization is taken from a row, and its urlKey is given: where tables lie
 * on several nodes, the organization's then runs all of it, and commits alone.
 */
export function changesStatement(write: Write, { base, urlKey }: Logged): Statement {
  const kinds = new Map<string, { entry: Entry; numbers: number[]; ids: string[]; befores: (string | null)[] }>();
  write.entries.forEach((entry, at) => {
    const kind = `${entry.entity.name} ${entry.action} ${entry.event}`;
    const group = kinds.get(kind) ?? { entry, numbers: [], ids: [], befores: [] };
    kinds.set(kind, group);
    group.numbers.push(base + at);
    group.ids.push(entry.id);
    group.befores.push(entry.updatedFrom ? JSON.stringify(entry.updatedFrom) : null);
  });
  const groups = [...kinds.values()];
  const values = groups.flatMap(({ numbers, ids, befores }, at) => [
    [`${at}.numbers`, numbers],
    [`${at}.ids`, ids],
    [`${at}.befores`, befores],
  ]);
  const inputs = { scope: write.scope, args: [], given: { at: write.at, urlKey, ...Object.fromEntries(values) } };
  const shape = `log ${write.scope.system === true} ${[...kinds.keys()].join()}`;
  return preparedStatement(write.model, shape, inputs, (build) => logSql(build, groups, write.scope.system === true));
}

function logSql(build: Build, groups: readonly { entry: Entry }[], system: boolean): string {
  build.urlKeyGiven = true;
  const actor = system ? `'{"type":"system"}'::json` : callerSql(build);
  const selects = groups.map(({ entry }, at) => select(build, entry, at, actor));
  return `insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", "teamId",
      data, "updatedFrom", actor, "createdAt") ${selects.join(" union all ")} offset 0`;
}

function select(build: Build, { entity, action, event }: Entry, at: number, actor: string): string {
  const row = newRow(build, entity);
  const list = (name: string, cast: string) => given(build, `${at}.${name}`, cast);
  const [team, data] = [teamOf(row), published(row)];
  return `select ${row.alias}."organizationId", v.number, '${entity.name}', '${action}', '${event}', v.id, ${team}, ${data},
      v.before, ${actor}, ${given(build, "at", "timestamptz")}
    from unnest(${list("numbers", "bigint[]")}, ${list("ids", "uuid[]")}, ${list("befores", "json[]")}) v (number, id, before)
    join "${entity.table}" ${row.alias} on ${inTenant(row)} and ${column(row, "id")} = v.id${row.frame.joins.join("")}`;
}

/** SQL of an entity as the change log publishes it: its columns and the computed values declared for it. */
function published(row: SqlRow): string {
  const names = [...Object.keys(row.entity.columns), ...(row.entity.published ?? [])];
  return recordJson(
    names.map((name) => {
      const value = fieldValue(row, name);
      if (!value) throw new Error(`${row.entity.name} publishes ${name}, which it does not declare`);
      return [name, value] as const;
    }),
  );
}

/** SQL of the team a row belongs to, for webhooks scoped to a team. */
function teamOf(row: SqlRow): string {
  if (row.entity.teamOf) return row.entity.teamOf(row);
  return row.entity.columns.teamId ? column(row, "teamId") : "null::uuid";
}

/** Who made the change, as every stream shows it: of an agent also the person it acts for. */
const callerSql = (build: Build): string =>
  `(select case when u.app
      then json_build_object('id', u.id, 'type', 'app', 'name', u.name, 'email', u.email, 'onBehalfOf',
        (select json_build_object('id', p.id, 'name', p.name) from "user" p
          where p."organizationId" = ${organization(build)} and p.id = u."onBehalfOfId"))
      else json_build_object('id', u.id, 'type', 'user', 'name', u.name, 'email', u.email) end from "user" u
    where u."organizationId" = ${organization(build)} and u.id = ${caller(build)})`;
