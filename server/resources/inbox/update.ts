import { z } from "zod";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError, notFound } from "../../errors.ts";
import { newBuild } from "../../read/row.ts";
import type { Result, Write } from "../../write/write.ts";
import { moment } from "../fields.ts";
import { entriesSql } from "./entries.ts";

/** Entries that one mutation changes. */
const MOST = 250;

/** A user's marks on entries. A mark that is left out stays as it is. */
export const InboxEntryUpdateInput = z.strictObject({
  read: z.boolean().nullish(),
  done: z.boolean().nullish(),
  snoozedUntilAt: moment.nullish(),
});

/**
 * Raw SQL: entries are no table. A mark that is given sets its moment or clears it. A client names its sessions by itself, so one
 * may have the id of something else: of entries with one id the latest is marked.
 */
const writeSql = (entries: string, from: number): string => {
  const [organization, user, now, ids, read, done, isSnoozed, until] = Array.from(
    { length: 8 },
    (_, at) => `$${from + at + 1}`,
  );
  const marked = (mark: string | undefined, column: string) =>
    `case when ${mark}::boolean is null then m."${column}" when ${mark} then coalesce(m."${column}", ${now}::timestamptz) end`;
  return `insert into "inboxState" as t ("organizationId", "userId", id, since, "readAt", "doneAt", "snoozedUntilAt", "updatedAt")
    select distinct on (e.id) ${organization}::uuid, ${user}::uuid, e.id, e."createdAt", ${marked(read, "readAt")}, ${marked(done, "doneAt")},
      case when ${isSnoozed}::boolean then ${until}::timestamptz else m."snoozedUntilAt" end, ${now}::timestamptz
    from (${entries}) e left join "inboxState" m on m."organizationId" = ${organization}::uuid and m."userId" = ${user}::uuid
      and m.id = e.id and m.since = e."createdAt"
    where e.id = any(${ids}::uuid[]) order by e.id, e."createdAt" desc
    on conflict ("organizationId", "userId", id) do update set since = excluded.since, "readAt" = excluded."readAt",
      "doneAt" = excluded."doneAt", "snoozedUntilAt" = excluded."snoozedUntilAt", "updatedAt" = excluded."updatedAt"
    returning id`;
};

/**
 * Marks entries of the caller's own inbox read, done or snoozed, or takes it back. An entry that comes back is a new one
 * to them.
 * @throws notFound for an entry that there is not, or no more
 */
export async function inboxEntryUpdate(
  write: Write,
  { read, done, snoozedUntilAt }: z.infer<typeof InboxEntryUpdateInput>,
  { ids }: { ids: readonly string[] },
): Promise<Result> {
  if (ids.length === 0 || ids.length > MOST) throw inputError(`ids takes 1 to ${MOST} ids`, "ids");
  const unknown = ids.find((id) => !isUuid(id));
  if (unknown !== undefined) throw notFound("inbox entry", unknown);
  const { organizationId, userId } = write.scope;
  const build = newBuild(write.model, []);
  const entries = entriesSql(build);
  const reach = build.getters.map((get) => get({ scope: write.scope, args: [] }));
  const marks = [read ?? null, done ?? null, snoozedUntilAt !== undefined, snoozedUntilAt ?? null];
  const rows = await write.trx.query<{ id: string }>({
    text: writeSql(entries, reach.length),
    values: [...reach, organizationId, userId, write.at, [...new Set(ids)], ...marks],
  });
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id.toLowerCase()));
  if (missing !== undefined) throw notFound("inbox entry", missing);
  write.direct = true;
  return {};
}
