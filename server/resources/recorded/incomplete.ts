import type { Build } from "../../read/entity.ts";
import { organization } from "../../read/row.ts";

/**
 * SQL that is true while failures are still to be grouped: jobs do so after a restore. It reads one
 * entry of each index.
 */
export function failuresIncomplete(build: Build): string {
  const own = organization(build);
  return `(exists (select from recorded_failure_group g where g.organization_id = ${own} and g.stale and g.failures = 0)
    or exists (select from recorded_event e where e.organization_id = ${own})
      and not exists (select from recorded_rollup p where p.organization_id = ${own} and p.uncounted_before = '-infinity'))`;
}

/** The same for sessions whose totals are to be made, or that are to be looked through for issues. */
export function sessionsIncomplete(build: Build): string {
  const own = organization(build);
  return `(exists (select from recorded_session s where s.organization_id = ${own}
      and s.events is null)
    or exists (select from recorded_session s where s.organization_id = ${own} and s.unread_from = '-infinity')
      and exists (select from "teamKey" k where k."organizationId" = ${own}))`;
}
