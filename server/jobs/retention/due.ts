import type { Database, Statement } from "../../../db/open.ts";
import { daysOf, fewestDays, hasTexts, isHeld, type Part } from "../../resources/recorded/retention/due.ts";

/** The fewest days after which a part of any session of an organization goes; undefined for never. `most` is the server's number. */
export async function fewest(
  db: Database,
  part: Part,
  organizationId: string,
  most: number,
): Promise<number | undefined> {
  const text = `select ${fewestDays(part, "$1::uuid", "$2::integer")} as days`;
  const [row] = await db.query<{ days: number | null }>({ text, values: [organizationId, most] });
  return row?.days ?? undefined;
}

const SESSION = { alias: "s", organization: "$1::uuid" };

/** Raw SQL, as of the rules: some sessions of which a part may go, and after how many days. Those that are held stay. */
const daysText = (part: Part): string => `select s.session_id as id, ${daysOf(part, SESSION, "$3::integer")} as days
  from recorded_session s where s.organization_id = $1 and s.session_id = any($2::uuid[]) and not ${isHeld(SESSION)}
    ${part === "texts" ? `and ${hasTexts(SESSION)}` : ""}`;

const daysStatement = (part: Part, values: unknown[]): Statement => ({ text: daysText(part), values });

/** Sessions by the number of days after which a part of them goes. */
export async function byDays(
  db: Database,
  part: Part,
  organizationId: string,
  ids: readonly string[],
  most: number,
): Promise<Map<number, string[]>> {
  const groups = new Map<number, string[]>();
  if (ids.length === 0) return groups;
  const rows = await db.query<{ id: string; days: number | null }>(daysStatement(part, [organizationId, ids, most]));
  for (const { id, days } of rows) if (days !== null) groups.set(days, [...(groups.get(days) ?? []), id]);
  return groups;
}
