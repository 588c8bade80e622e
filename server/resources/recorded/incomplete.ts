import type { Build } from "../../read/entity.ts";
import { organization } from "../../read/row.ts";

/** SQL that is true while jobs have still to make totals of restored sessions, or to read their events. */
export function sessionsIncomplete(build: Build): string {
  const own = organization(build);
  return `(exists (select from recorded_session s where s.organization_id = ${own}
      and s.events is null)
    or exists (select from recorded_session s where s.organization_id = ${own} and s.unread_from = '-infinity'))`;
}
