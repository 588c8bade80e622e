import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { knex, toStatement } from "../../../db/builder.ts";
import { ABSOLUTE_FORMS, parseAbsolute } from "../../../formats/moments.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { scannerOf } from "../../accounts/switches.ts";
import { inputError } from "../../errors.ts";
import { redaction } from "../../ingest/rules/redaction.ts";
import { eachOrganization, keepPlace, placeOf, START } from "../../jobs/organizations.ts";
import { countMarked, sumStale } from "../../resources/recorded/analytics/index.ts";
import type { Means } from "../commands.ts";
import { nextPlaces, type Place, type Target, targets } from "./rows.ts";
import { type Found, redactSlice, type Work } from "./slice.ts";

/** Rows of which a page reads the lengths; rows and bytes of a slice, which is read and scanned at once. */
const [PAGE, SLICE, SLICE_BYTES] = [500, 100, 1024 * 1024];

interface Options {
  since: Date;
  organizationId: string | undefined;
  isApplied: boolean;
}

/**
 * Takes the secrets out of what was stored before they were known: `--since WHEN [--organization ID] [--apply]`.
 * Each organization's switches count, so nothing is taken out of one that has redaction off.
 * Without `--apply` nothing is changed. One that was cut off goes on where it was, given the same moment.
 * @returns how many of which kind in which column. @throws inputError
 */
export async function redactStored(means: Means, args: string[]): Promise<string> {
  const options = optionsOf(args);
  const found: Found = new Map();
  const tables = await targets(means.db);
  const one = async (id: string) => {
    await means.db.as("upkeep", () => redactOrganization(means, options, { id, tables, found }), id);
    return 1;
  };
  if (options.organizationId) await one(await known(means, options.organizationId));
  else await eachOrganization(means.db, { table: "organization", tenant: "id" }, one);
  return report(found, options);
}

function optionsOf(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: { since: { type: "string" }, organization: { type: "string" }, apply: { type: "boolean" } },
    });
    const since = parseAbsolute(values.since ?? "");
    if (!since) throw new Error(`--since takes a moment, ${ABSOLUTE_FORMS}; got "${values.since ?? ""}"`);
    return { since, organizationId: values.organization, isApplied: values.apply === true };
  } catch (error) {
    throw inputError(error instanceof Error ? error.message : String(error));
  }
}

async function known({ db }: Means, id: string): Promise<string> {
  const found = isUuid(id)
    ? await db.query(toStatement(knex("organization").where({ id, deletedAt: null }).select("id")))
    : [];
  if (found.length === 0) throw inputError(`there is no organization with the id ${id}; list organizations shows them`);
  return id.toLowerCase();
}

interface Part {
  id: string;
  tables: readonly Target[];
  found: Found;
}

async function redactOrganization(means: Means, options: Options, { id, tables, found }: Part): Promise<void> {
  const work = {
    means,
    tenant: id,
    isApplied: options.isApplied,
    rules: { redaction: redaction(means.config.INGEST_REDACT), scan: (await scannerOf(means, id)).patient() },
    found,
  };
  for (const target of tables) await redactTable({ ...work, target }, options.since);
  if (!options.isApplied) return;
  await countMarked(means.db, id);
  await sumStale(means.db, id);
}

/** Goes through a table, page by page. An applied one keeps its place, for another that goes on. */
async function redactTable(work: Work, since: Date): Promise<void> {
  const { means, tenant, target, isApplied } = work;
  const walk = `redact ${target.name}`;
  const at = since.toISOString();
  const place = isApplied ? await placeOf(means.db, tenant, walk) : START;
  let after: string[] = place.at === at ? JSON.parse(place.id) : [];
  for (let size = PAGE; size === PAGE; ) {
    const page = await means.db.query<Place>(nextPlaces(target, { tenant, since, after, size: PAGE }));
    for (const keys of slices(page)) {
      await redactSlice(work, keys);
      await setImmediate();
    }
    size = page.length;
    after = page.at(-1)?.key ?? after;
    if (isApplied && size === PAGE) await keepPlace(means.db, tenant, walk, { at, id: JSON.stringify(after) });
  }
  if (isApplied) await keepPlace(means.db, tenant, walk, START);
}

/** The keys of rows that are due, so many that a slice is bounded. */
function* slices(page: readonly Place[]): Generator<string[][]> {
  let keys: string[][] = [];
  let sum = 0;
  for (const { key, isDue, bytes } of page) {
    if (!isDue) continue;
    if (keys.length === SLICE || (keys.length > 0 && sum + bytes > SLICE_BYTES)) {
      yield keys;
      [keys, sum] = [[], 0];
    }
    keys.push(key);
    sum += bytes;
  }
  if (keys.length > 0) yield keys;
}

function report(found: Found, { isApplied }: Options): string {
  const lines = [...found].map(
    ([column, kinds]) => `${column}: ${[...kinds].map(([kind, count]) => `${kind} ${count}`).join(", ")}`,
  );
  if (lines.length === 0) return "No secrets were found.";
  const end = isApplied
    ? "They are taken out. Backups that were made before still hold them."
    : "Nothing was changed; add --apply to take them out.";
  return [...lines, "", end].join("\n");
}
