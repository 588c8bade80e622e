import { inputError, notFound } from "../errors.ts";
import { isUuid } from "./id.ts";
import { jsonObject, shown } from "./json.ts";
import { type Build, bind, column, inTenant, newBuild, newRow } from "./row.ts";
import { entityNamed, overlaid, type Raw, type Write } from "./write.ts";

/** What is looked for: the entity's name, and an id or whatever else names one of its rows. */
export type Reference = readonly [entity: string, id: unknown];

/**
 * The row a mutation is about, all its columns.
 * @throws notFound, alike for an id that does not exist and one of another organization.
 */
export async function target(write: Write, entity: string, id: string): Promise<Raw> {
  const { found } = await lookUp(write, { found: [entity, id] });
  if (!found) throw notFound(label(entity), id);
  return found;
}

/**
 * The rows that an input refers to, in one statement, under the names of the fields that refer to them.
 * Absent and null references are left out.
 * @throws inputError naming the first field whose reference leads nowhere.
 */
export async function references(write: Write, wanted: Record<string, Reference>): Promise<Record<string, Raw>> {
  const asked = Object.fromEntries(Object.entries(wanted).filter(([, [, id]]) => id !== undefined && id !== null));
  const rows = await lookUp(write, asked);
  const found: Record<string, Raw> = {};
  for (const [field, [entity, id]] of Object.entries(asked)) {
    const row = rows[field];
    if (!row) throw inputError(`${field}: no ${label(entity)} ${String(id)} in this organization`, field);
    found[field] = row;
  }
  return found;
}

async function lookUp(write: Write, wanted: Record<string, Reference>): Promise<Record<string, Raw | null>> {
  if (Object.keys(wanted).length === 0) return {};
  const build = newBuild(write.model, { scope: write.scope, args: [] });
  const selects = Object.entries(wanted).map(
    ([name, reference], at) => `${rowSql(write, build, reference)} as "${at}.${name}"`,
  );
  const text = `select ${selects.join(", ")}`;
  const values = build.getters.map((get) => get(build.inputs));
  const [row] = await write.trx.query<Record<string, Raw | null>>({ text, values });
  return Object.fromEntries(
    Object.entries(wanted).map(([name, [entity, id]], at) => {
      const read = row?.[`${at}.${name}`] ?? null;
      return [name, overlaid(write, entityNamed(write, entity), String(read?.id ?? id), read)];
    }),
  );
}

function rowSql(write: Write, build: Build, [name, id]: Reference): string {
  const entity = entityNamed(write, name);
  const row = newRow(build, entity);
  const columns = Object.entries({ ...entity.columns, ...entity.internal });
  const json = jsonObject(columns.map(([key, type]) => [key, shown(type, column(row, key))] as const));
  const text = String(id).replaceAll("\0", "\uFFFD");
  const matches = isUuid(text)
    ? `${column(row, "id")} = ${bind(build, text, "uuid", () => text)}`
    : (entity.reference?.(
        row,
        bind(build, text, "text", () => text),
      ) ?? "false");
  return `(select ${json} from "${entity.table}" ${row.alias} where ${inTenant(row)} and ${matches} limit 1)`;
}

const label = (entity: string): string => entity.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
