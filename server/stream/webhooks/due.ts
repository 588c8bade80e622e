import type { Statement } from "../../../db/open.ts";

/** Organizations that one look finds. */
export const ORGANIZATIONS = 100;

/** Organizations with something due, in another order each time, so that none is always last. Raw SQL, as that of the claim. */
const due = (where: string) => `
  select "organizationId" as id from sync s where ${where} exists (
    select from delivery d where d."organizationId" = s."organizationId" and d.status = 'pending' and d."nextAttemptAt" <= $1)
   order by random() limit ${ORGANIZATIONS}`;

/** The look for organizations with something due: into those, or into all. */
export const lookIn = (organizations: readonly string[] | undefined, now: Date): Statement =>
  organizations
    ? { name: "stream-due-in", text: due(`"organizationId" = any($2::uuid[]) and`), values: [now, organizations] }
    : { name: "stream-due", text: due(""), values: [now] };
