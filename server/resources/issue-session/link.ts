import { UUID_PATTERN } from "../../../formats/uuid.ts";
import type { Write } from "../../write/write.ts";
import type { LinkKind } from "./issue-session.ts";

/**
 * SQL of whether a session, as `s`, is the one that a text names: its id, or the id its agent gave it. Raw SQL: shared by
 * statements that lock, link and forget at once.
 */
export const isNamed = (text: string): string => `(s.external_id = ${text} or s.session_id = ${uuidOf(text)})`;

/** SQL of the id that a text is, or null. */
export const uuidOf = (text: string): string => `case when ${text} ~* '${UUID_PATTERN}' then (${text})::uuid end`;

/**
 * Links an issue that this mutation writes to the session that a text names, as also what awaited the session. One of
 * which nothing is recorded yet is awaited: a job links it once it is there. The lock keeps retention from taking the
 * session away meanwhile.
 */
export function linkSession(write: Write, issueId: string, reference: string, kind: Exclude<LinkKind, "mentioned">) {
  const is = (each: string) => `('${kind}' = '${each}' or exists (select from settled where kind = '${each}'))`;
  write.followUps.push({
    name: `link-session-${kind}`,
    text: `with found as (select s.session_id, s.external_id from recorded_session s
        where s.organization_id = $1 and ${isNamed("$3::text")} limit 1 for key share),
      settled as (delete from "awaitedSession" a using found s
        where a."organizationId" = $1 and a."issueId" = $2 and ${isNamed("a.reference")} returning a.kind),
      linked as (insert into "issueSession" as l ("organizationId", "issueId", "sessionId", claimed, filed)
        select $1::uuid, $2::uuid, session_id, ${is("claimed")}, ${is("filed")} from found
        on conflict ("organizationId", "issueId", "sessionId") do update
          set claimed = l.claimed or excluded.claimed, filed = l.filed or excluded.filed
          where excluded.claimed and not l.claimed or excluded.filed and not l.filed)
      insert into "awaitedSession" ("organizationId", "issueId", reference, kind)
        select $1::uuid, $2::uuid, $3::text, '${kind}' where not exists (select from found) on conflict do nothing`,
    values: [write.scope.organizationId, issueId, reference],
    reads: ["recorded_session"],
    writes: ["awaitedSession", "issueSession"],
  });
}
