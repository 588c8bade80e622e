import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { knex, toStatement } from "../../../db/builder.ts";
import { ABSOLUTE_TIME_FORMAT_HELP, parseAbsoluteTime } from "../../../formats/moments.ts";
import { formatRemoval, type RemovalSummary } from "../../../formats/removal.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { getScanner } from "../../accounts/switches.ts";
import { inputError } from "../../errors.ts";
import { parseRedaction } from "../../ingest/rules/redaction.ts";
import { eachOrganization, readScanPosition, SCAN_START, storeScanPosition } from "../../jobs/organizations.ts";
import { countMarkedHoursOfOrganization, sumStaleGroups } from "../../resources/recorded/analytics/index.ts";
import type { CommandContext } from "../commands.ts";
import type { RemovalPlan } from "../removal.ts";
import { buildNextRowKeysStatement, type RowKeyAndSize, readTablesToScan, type TableToScan } from "./rows.ts";
import { type FoundSecrets, redactSlice, type TableScan } from "./slice.ts";

/**
 * PAGE is the number of rows per page; for a page, the command reads only keys and lengths. SLICE and SLICE_BYTES are
 * the maximum rows and bytes of a slice; the command reads and scans the content of a slice at once.
 */
const [PAGE, SLICE, SLICE_BYTES] = [500, 100, 1024 * 1024];

interface Options {
  since: Date;
  organizationId: string | undefined;
  isApplied: boolean;
  isConfirmed: boolean;
}

/**
 * Redacts secrets in stored content that no rule matched earlier: `--since WHEN [--organization ID] [--apply [--yes]]`.
 * The settings of each organization apply: an organization with redaction off stays unchanged. Without `--apply`, the
 * command changes nothing. If a run with `--apply` is interrupted, another run with `--apply` and the same time resumes
 * where the first run stopped.
 * @returns the number of secrets by column and kind. @throws inputError
 */
export async function redactStoredContent(means: CommandContext, args: string[]): Promise<string> {
  const options = optionsOf(args);
  return report(await search(means, options), options);
}

/**
 * Returns a plan that shows the secrets that `--apply` would redact. Runs the same search without changes. Returns
 * undefined without `--apply`.
 */
export async function planRedaction(means: CommandContext, args: string[]): Promise<RemovalPlan | undefined> {
  const options = optionsOf(args);
  if (!options.isApplied) return undefined;
  const found = await search(means, { ...options, isApplied: false });
  return {
    removals: [removalOf(found)],
    notes: columnLines(found),
    asks: options.isConfirmed ? "never" : "terminal",
    args: ["redact", ...args],
    unasked: `redact ${args.join(" ")} --yes`,
  };
}

const removalOf = ({ columns, first = "", last = "" }: FoundSecrets): RemovalSummary => {
  const counts = [...columns.values()].flatMap((kinds) => [...kinds.values()]);
  return { count: counts.reduce((sum, count) => sum + count, 0), noun: "secret", verb: "redact", first, last };
};

/** @throws inputError for invalid arguments */
export const validateRedactArguments = (args: string[]): void => void optionsOf(args);

/** Scans the organizations. With `isApplied`, redacts the secrets found. */
async function search(means: CommandContext, options: Options): Promise<FoundSecrets> {
  const found: FoundSecrets = { columns: new Map() };
  const tables = await readTablesToScan(means.db);
  const one = async (id: string) => {
    await means.db.as("upkeep", () => redactOrganization(means, options, { id, tables, found }), id);
    return 1;
  };
  if (options.organizationId) await one(await known(means, options.organizationId));
  else await eachOrganization(means.db, { table: "organization", tenant: "id" }, one);
  return found;
}

function optionsOf(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        since: { type: "string" },
        organization: { type: "string" },
        apply: { type: "boolean" },
        yes: { type: "boolean" },
      },
    });
    const since = parseAbsoluteTime(values.since ?? "");
    if (!since) throw new Error(`--since takes a moment, ${ABSOLUTE_TIME_FORMAT_HELP}; got "${values.since ?? ""}"`);
    const { organization: organizationId, apply: isApplied = false, yes: isConfirmed = false } = values;
    return { since, organizationId, isApplied, isConfirmed };
  } catch (error) {
    throw inputError(error instanceof Error ? error.message : String(error));
  }
}

async function known({ db }: CommandContext, id: string): Promise<string> {
  const found = isUuid(id)
    ? await db.query(toStatement(knex("organization").where({ id, deletedAt: null }).select("id")))
    : [];
  if (found.length === 0) throw inputError(`there is no organization with the id ${id}; list organizations shows them`);
  return id.toLowerCase();
}

interface Part {
  id: string;
  tables: readonly TableToScan[];
  found: FoundSecrets;
}

async function redactOrganization(means: CommandContext, options: Options, { id, tables, found }: Part): Promise<void> {
  const work = {
    means,
    tenant: id,
    isApplied: options.isApplied,
    rules: { redaction: parseRedaction(means.config.INGEST_REDACT), scan: (await getScanner(means, id)).patient() },
    found,
  };
  for (const target of tables) await redactTable({ ...work, target }, options.since);
  if (!options.isApplied) return;
  await countMarkedHoursOfOrganization(means.db, id);
  await sumStaleGroups(means.db, id);
}

/** Scans a table page by page. With `isApplied`, stores the position so that a later run can resume. */
async function redactTable(work: TableScan, since: Date): Promise<void> {
  const { means, tenant, target, isApplied } = work;
  const walk = `redact ${target.name}`;
  const at = since.toISOString();
  const place = isApplied ? await readScanPosition(means.db, tenant, walk) : SCAN_START;
  let after: string[] = place.at === at ? JSON.parse(place.id) : [];
  for (let size = PAGE; size === PAGE; ) {
    const page = await means.db.query<RowKeyAndSize>(
      buildNextRowKeysStatement(target, { tenant, since, after, size: PAGE }),
    );
    for (const keys of slices(page)) {
      await redactSlice(work, keys);
      await setImmediate();
    }
    size = page.length;
    after = page.at(-1)?.key ?? after;
    if (isApplied && size === PAGE) await storeScanPosition(means.db, tenant, walk, { at, id: JSON.stringify(after) });
  }
  if (isApplied) await storeScanPosition(means.db, tenant, walk, SCAN_START);
}

/**
 * Groups the keys of a page's due rows into slices. A slice has at most SLICE rows and SLICE_BYTES bytes; a larger row
 * is a slice of its own.
 */
function* slices(page: readonly RowKeyAndSize[]): Generator<string[][]> {
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

function report(found: FoundSecrets, { isApplied }: Options): string {
  const lines = columnLines(found);
  if (lines.length === 0) return "No secrets were found.";
  if (isApplied)
    return [...lines, "", "The secrets were redacted. Earlier backups still contain the secrets."].join("\n");
  const end = "Nothing was changed; add --apply to redact the secrets.";
  return [...lines, "", ...formatRemoval(removalOf(found)), end].join("\n");
}

const columnLines = ({ columns }: FoundSecrets): string[] =>
  [...columns].map(
    ([column, kinds]) => `${column}: ${[...kinds].map(([kind, count]) => `${kind} ${count}`).join(", ")}`,
  );
