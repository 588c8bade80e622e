import {
  Expiring,
  type ExpiringQuery,
  Quoting as Quotations,
  Retention,
  type RetentionQuery,
  UpdateOrganization,
} from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { type Query, useQuery } from "../../../data/query.ts";
import { LoadedContent } from "../../../parts/lists/loaded.tsx";
import { QuotedDeletedSessions } from "../../issues/deleted-sessions.tsx";
import { formatSessionTitle } from "../../sessions/row.tsx";
import { OwnerSettingsForm } from "../owners-form.tsx";
import { isCurrentUserOwner, SettingsPageHeader } from "../parts.tsx";

type Rules = RetentionQuery["organization"];
type Row = ExpiringQuery["recordedSessionsExpiring"]["nodes"][number];

/**
 * Retention rules for event content and sessions, and the sessions that expire soon. Only owners can change the
 * rules.
 */
export function RetentionSettings() {
  const rules = useQuery(Retention, {});
  const expiring = useQuery(Expiring, {});
  return (
    <>
      <SettingsPageHeader title="Retention">
        Trackway deletes recorded sessions a number of days after their last event: first the event content, then the
        whole session. The server may set a maximum number of days. Trackway keeps sessions that are held or linked to
        an open issue.
      </SettingsPageHeader>
      {!isCurrentUserOwner() && <p class="note">Only owners of the organization can change these settings.</p>}
      <LoadedContent data={rules.data?.organization} error={rules.error} retry={rules.reload} lines={4}>
        {(organization) => <RulesForm rules={organization} saved={expiring.reload} />}
      </LoadedContent>
      {/* Each section appears only after the section above has rows, so that buttons do not move while the user
          points at a button. */}
      {(rules.data ?? rules.error) && <Gone expiring={expiring} />}
      {(rules.data ?? rules.error) && (expiring.data ?? expiring.error) && <Quoting />}
    </>
  );
}

const Gone = ({ expiring }: { expiring: Query<ExpiringQuery> }) => (
  <section class="sec" aria-labelledby="expiring">
    <header>
      <h2 id="expiring">Scheduled for deletion in the next seven days</h2>
    </header>
    <LoadedContent
      data={expiring.data?.recordedSessionsExpiring}
      error={expiring.error}
      retry={expiring.reload}
      lines={4}
    >
      {({ nodes, pageInfo }) => <Soon rows={nodes} more={pageInfo.hasNextPage} />}
    </LoadedContent>
  </section>
);

/** Issues that may still quote a deleted session. */
function Quoting() {
  const { data, error, reload } = useQuery(Quotations, {});
  return (
    <section class="sec" aria-labelledby="quoting">
      <header>
        <h2 id="quoting">Issues that quote deleted sessions</h2>
      </header>
      <LoadedContent data={data?.issueDeletedSessions} error={error} retry={reload} lines={4}>
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 ? (
              <p class="dim">No issues.</p>
            ) : (
              <QuotedDeletedSessions rows={nodes} reload={reload} />
            )}
            {pageInfo.hasNextPage && <p class="dim">The list shows the latest 50 issues.</p>}
          </>
        )}
      </LoadedContent>
    </section>
  );
}

function Soon({ rows, more }: { rows: readonly Row[]; more: boolean }) {
  if (rows.length === 0) return <p class="dim">No sessions.</p>;
  return (
    <>
      <ul class="links">
        {rows.map((row) => (
          <li key={row.id}>
            <a class="cut grow" href={`/sessions/${row.id}`} title={formatSessionTitle(row)}>
              <bdi>{formatSessionTitle(row)}</bdi>
            </a>
            <span class="dim">{endOf(row)}</span>
          </li>
        ))}
      </ul>
      {more && <p class="dim">The list shows the first 50 sessions.</p>}
    </>
  );
}

/** Formats when the content of a session or the session itself expires, whichever comes first. */
function endOf({ textsExpireAt, expiresAt }: Row): string {
  const isText = textsExpireAt !== null && (expiresAt === null || textsExpireAt < expiresAt);
  const at = new Date((isText ? textsExpireAt : expiresAt) ?? 0);
  return `${isText ? "content" : "session"} ${at <= new Date() ? "within an hour" : `on ${at.toLocaleDateString()}`}`;
}

const DAYS = [
  ["retentionTextDays", "Days to keep event content"],
  ["retentionSessionDays", "Days to keep sessions"],
] as const;

function RulesForm({ rules, saved }: { rules: Rules; saved: () => void }) {
  const save = (form: FormData) => {
    const days = Object.fromEntries(DAYS.map(([name]) => [name, daysOf(String(form.get(name) ?? ""))]));
    const input = { ...days, retentionAgents: agentsOf(String(form.get("agents") ?? "")) };
    return requestGraphQL(UpdateOrganization, { input }).then(saved);
  };
  return (
    <OwnerSettingsForm legend="Retention" save={save}>
      {DAYS.map(([name, label]) => (
        <label key={name} class="field">
          <span>{label}</span>
          <input
            class="in"
            type="number"
            min={1}
            max={36_500}
            name={name}
            placeholder="forever"
            defaultValue={rules[name] ?? ""}
          />
        </label>
      ))}
      <label class="field full">
        <span>Different retention for some agents</span>
        <textarea
          class="in mono"
          name="agents"
          rows={4}
          spellcheck={false}
          placeholder="claude-code texts=7 sessions=90"
          defaultValue={linesOf(rules)}
        />
      </label>
      <p class="hint">
        One agent per line: name, then texts=DAYS for event content, sessions=DAYS for sessions, or both.
      </p>
    </OwnerSettingsForm>
  );
}

const daysOf = (text: string): number | null => (text.trim() === "" ? null : Number(text));

const linesOf = ({ retentionAgents }: Rules): string =>
  retentionAgents
    .map(({ agent, textDays, sessionDays }) =>
      [agent, textDays && `texts=${textDays}`, sessionDays && `sessions=${sessionDays}`].filter(Boolean).join(" "),
    )
    .join("\n");

/**
 * Parses retention rules for agents, one rule per line. A line contains the agent's name, which may contain spaces, and
 * then the numbers of days.
 */
const agentsOf = (lines: string) =>
  lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const days = (name: string) => /=(\d+)/.exec(new RegExp(`\\s${name}=\\d+`).exec(line)?.[0] ?? "")?.[1];
      const [textDays, sessionDays] = [days("texts"), days("sessions")];
      return {
        agent: line.replace(/(?:\s+(?:texts|sessions)=\d+)+$/, ""),
        ...(textDays !== undefined && { textDays: Number(textDays) }),
        ...(sessionDays !== undefined && { sessionDays: Number(sessionDays) }),
      };
    });
