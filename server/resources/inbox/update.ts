import { z } from "zod";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError, notFound } from "../../errors.ts";
import type { Result, Write } from "../../write/write.ts";
import { moment } from "../fields.ts";
import { STUCK_MS } from "../recorded/sessions/state.ts";
import { entriesSql } from "./entries.ts";

/** Entries that one mutation changes. */
const MOST = 250;

/** A user's marks on entries. A mark that is left out stays as it is. */
export const InboxEntryUpdateInput = z.strictObject({
  read: z.boolean().nullish(),
  done: z.boolean().nullish(),
  snoozedUntilAt: moment.nullish(),
});

const ago = (value: string, ms: number): string => `(${value}::timestamptz - ${ms} * interval '1 millisecond')`;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The entries of the user $2 of the organization $1 at $3. */
const ENTRIES = entriesSql({
  organization: "$1::uuid",
  caller: "$2::uuid",
  daysAgo: (days) => ago("$3", days * DAY_MS),
  stuckBefore: ago("$3", STUCK_MS),
});

/** Raw SQL: entries are no table. A moment that $5, $6 or $7 asks to change becomes what follows it. */
const WRITE = `insert into "inboxState" as t ("organizationId", "userId", id, since, "readAt", "doneAt", "snoozedUntilAt", "updatedAt")
  select $1::uuid, $2::uuid, e.id, e."createdAt",
    case when $5::boolean is null then e."readAt" when $5 then coalesce(e."readAt", $3::timestamptz) end,
    case when $6::boolean is null then e."doneAt" when $6 then coalesce(e."doneAt", $3::timestamptz) end,
    case when $7::boolean then $8::timestamptz else e."snoozedUntilAt" end, $3::timestamptz
  from (${ENTRIES}) e where e.id = any($4::uuid[])
  on conflict ("organizationId", "userId", id) do update set since = excluded.since, "readAt" = excluded."readAt",
    "doneAt" = excluded."doneAt", "snoozedUntilAt" = excluded."snoozedUntilAt", "updatedAt" = excluded."updatedAt"
  returning id`;

/**
 * Marks entries of the caller's own inbox read, done, or snoozed, or takes it back. An entry that comes back is a new one
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
  const isSnoozed = snoozedUntilAt !== undefined;
  const values = [organizationId, userId, write.at, ids, read ?? null, done ?? null, isSnoozed, snoozedUntilAt ?? null];
  const rows = await write.trx.query<{ id: string }>({ text: WRITE, values });
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id.toLowerCase()));
  if (missing !== undefined) throw notFound("inbox entry", missing);
  write.direct = true;
  return {};
}
