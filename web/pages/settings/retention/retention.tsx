import {
  Expiring,
  type ExpiringQuery,
  Quoting as Quotations,
  Retention,
  type RetentionQuery,
  UpdateOrganization,
} from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { type Query, useQuery } from "../../../data/query.ts";
import { Loaded } from "../../../parts/lists/loaded.tsx";
import { DeletedSessions } from "../../issues/deleted-sessions.tsx";
import { titleOf } from "../../sessions/row.tsx";
import { OwnersForm } from "../owners-form.tsx";
import { Intro, isOwner } from "../parts.tsx";

type Rules = RetentionQuery["organization"];
type Row = ExpiringQuery["recordedSessionsExpiring"]["nodes"][number];

/** After how many days texts and sessions go, and what goes soon; owners change it. */
export function RetentionPart() {
  const rules = useQuery(Retention, {});
  const expiring = useQuery(Expiring, {});
  return (
    <>
      <Intro title="Retention">
        Recordings of which nothing more comes go after so many days: first their texts, then all of them. The server
        may have a number of its own, beyond which nobody keeps any. Sessions that are held, or linked to an open issue,
        stay.
      </Intro>
      {!isOwner() && <p class="note">Only owners of the organization change this.</p>}
      <Loaded data={rules.data?.organization} error={rules.error} retry={rules.reload} lines={4}>
        {(organization) => <RulesForm rules={organization} saved={expiring.reload} />}
      </Loaded>
      {/* Each below what has its rows already: nothing moves under a finger. */}
      {(rules.data ?? rules.error) && <Gone expiring={expiring} />}
      {(rules.data ?? rules.error) && (expiring.data ?? expiring.error) && <Quoting />}
    </>
  );
}

const Gone = ({ expiring }: { expiring: Query<ExpiringQuery> }) => (
  <section class="sec" aria-labelledby="expiring">
    <header>
      <h2 id="expiring">What goes within seven days</h2>
    </header>
    <Loaded data={expiring.data?.recordedSessionsExpiring} error={expiring.error} retry={expiring.reload} lines={4}>
      {({ nodes, pageInfo }) => <Soon rows={nodes} more={pageInfo.hasNextPage} />}
    </Loaded>
  </section>
);

/** The issues that may still quote a session which was deleted. */
function Quoting() {
  const { data, error, reload } = useQuery(Quotations, {});
  return (
    <section class="sec" aria-labelledby="quoting">
      <header>
        <h2 id="quoting">Issues that quote deleted sessions</h2>
      </header>
      <Loaded data={data?.issueDeletedSessions} error={error} retry={reload} lines={4}>
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 ? <p class="dim">None.</p> : <DeletedSessions rows={nodes} reload={reload} />}
            {pageInfo.hasNextPage && <p class="dim">The latest 50.</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Soon({ rows, more }: { rows: readonly Row[]; more: boolean }) {
  if (rows.length === 0) return <p class="dim">Nothing.</p>;
  return (
    <>
      <ul class="links">
        {rows.map((row) => (
          <li key={row.id}>
            <a class="cut grow" href={`/sessions/${row.id}`} title={titleOf(row)}>
              <bdi>{titleOf(row)}</bdi>
            </a>
            <span class="dim">{endOf(row)}</span>
          </li>
        ))}
      </ul>
      {more && <p class="dim">The first 50.</p>}
    </>
  );
}

/** The earlier of the two ends of a session, in words. */
function endOf({ textsExpireAt, expiresAt }: Row): string {
  const isText = textsExpireAt !== null && (expiresAt === null || textsExpireAt < expiresAt);
  const at = new Date((isText ? textsExpireAt : expiresAt) ?? 0);
  return `${isText ? "texts" : "all of it"} ${at <= new Date() ? "within the hour" : `on ${at.toLocaleDateString()}`}`;
}

const DAYS = [
  ["retentionTextDays", "Days for texts"],
  ["retentionSessionDays", "Days for sessions"],
] as const;

function RulesForm({ rules, saved }: { rules: Rules; saved: () => void }) {
  const save = (form: FormData) => {
    const days = Object.fromEntries(DAYS.map(([name]) => [name, daysOf(String(form.get(name) ?? ""))]));
    const input = { ...days, retentionAgents: agentsOf(String(form.get("agents") ?? "")) };
    return request(UpdateOrganization, { input }).then(saved);
  };
  return (
    <OwnersForm legend="Retention" save={save}>
      {DAYS.map(([name, label]) => (
        <label key={name} class="field">
          <span>{label}</span>
          <input
            class="in"
            type="number"
            min={1}
            max={36_500}
            name={name}
            placeholder="for ever"
            defaultValue={rules[name] ?? ""}
          />
        </label>
      ))}
      <label class="field full">
        <span>Other days for agents</span>
        <textarea
          class="in mono"
          name="agents"
          rows={4}
          spellcheck={false}
          placeholder="claude-code texts=7 sessions=90"
          defaultValue={linesOf(rules)}
        />
      </label>
      <p class="hint">One a line: its name, then the days for texts, for sessions, or both.</p>
    </OwnersForm>
  );
}

const daysOf = (text: string): number | null => (text.trim() === "" ? null : Number(text));

const linesOf = ({ retentionAgents }: Rules): string =>
  retentionAgents
    .map(({ agent, textDays, sessionDays }) =>
      [agent, textDays && `texts=${textDays}`, sessionDays && `sessions=${sessionDays}`].filter(Boolean).join(" "),
    )
    .join("\n");

/** A name may hold blanks; the days stand behind it. */
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
