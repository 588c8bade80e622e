import { SessionIssues } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Cost } from "../../parts/cost.tsx";
import { clock, count, duration, exact, plural } from "../../parts/texts/format.ts";
import { Ago, ticking } from "../../parts/time/time.tsx";
import { pathOf } from "../issues/path.ts";
import { endOf } from "../sessions/row.tsx";
import type { EventTree } from "./events.ts";
import type { Recorded } from "./readings.ts";

/** Issues that a session's facts name; the rest are counted. */
const SHOWN = 3;

/** The session at a glance. */
export function Facts({ recorded, tree }: { recorded: Recorded; tree: EventTree }) {
  const { totals, brief, user, clientConfig, startedAt } = recorded;
  const began = Date.parse(startedAt);
  const end = Math.max(endOf(recorded), tree.all.length > 0 ? tree.end : 0, tree.open ? ticking.value : 0);
  return (
    <dl class="facts" tabIndex={0}>
      <Fact name="Agent">
        <bdi>{recorded.source ?? brief.agent ?? "–"}</bdi> <small>{clientConfig}</small>
      </Fact>
      {user && <UserFact user={user} />}
      <Fact name="Started">
        <time dateTime={startedAt} title={exact(began)}>
          {clock(began)}
        </time>{" "}
        <small>
          <Ago at={startedAt} />
        </small>
      </Fact>
      <Fact name="Duration">
        {duration(end - began)} {tree.open && <small>so far</small>}
      </Fact>
      <Fact name="Events">
        {count(totals.events)}{" "}
        <small>
          {plural(totals.turns, "turn")} · {plural(totals.toolCalls, "tool call")}
        </small>
      </Fact>
      <UsageFacts totals={totals} />
      <Fact name="Failures">{totals.failures === 0 ? "–" : count(totals.failures)}</Fact>
      <IssuesFact sessionId={recorded.id} />
      {recorded.holdReason !== null && (
        <Fact name="Held">
          <bdi title={recorded.holdReason}>{recorded.holdReason}</bdi>{" "}
          {recorded.heldBy && <small>by {recorded.heldBy.name}</small>}
        </Fact>
      )}
    </dl>
  );
}

/** The user of a session, with the first of the traits. */
function UserFact({ user }: { user: NonNullable<Recorded["user"]> }) {
  const traits = Object.entries(user.traits ?? {}).slice(0, 2);
  return (
    <Fact name="User">
      <a href={`/users/${encodeURIComponent(user.id)}`}>
        <bdi>{user.id}</bdi>
      </a>{" "}
      <small>{traits.map(([key, value]) => `${key} ${short(value)}`).join(" · ")}</small>
    </Fact>
  );
}

/** The models of a session, and what it read, wrote and cost. */
const UsageFacts = ({ totals }: Pick<Recorded, "totals">) => (
  <>
    {totals.models.length > 0 && (
      <Fact name="Model">
        <bdi>{totals.models[0]}</bdi> {totals.models.length > 1 && <small>+{totals.models.length - 1}</small>}
      </Fact>
    )}
    {totals.inputTokens + totals.outputTokens > 0 && (
      <Fact name="Tokens">
        {count(totals.inputTokens + totals.outputTokens)}{" "}
        {totals.cacheReadTokens > 0 && <small>{count(totals.cacheReadTokens)} cached</small>}
      </Fact>
    )}
    {(totals.cost ?? 0) > 0 && (
      <Fact name="Cost">
        <Cost {...totals} />
      </Fact>
    )}
  </>
);

/** The issues that a session claimed, filed or names, as one of its facts; nothing where there are none. */
function IssuesFact({ sessionId }: { sessionId: string }) {
  const { data } = useQuery(SessionIssues, { id: sessionId });
  const page = data?.recordedSession.issueLinks;
  if (!page || page.nodes.length === 0) return null;
  const rest = page.nodes.length - SHOWN;
  return (
    <Fact name="Issues">
      {page.nodes.slice(0, SHOWN).map(({ id, kinds, issue }) => (
        <span key={id}>
          <a href={pathOf(issue.url)} title={`${issue.title} (${kinds.join(", ")})`}>
            {issue.identifier}
          </a>{" "}
        </span>
      ))}
      {rest > 0 && (
        <small>
          +{rest}
          {page.pageInfo.hasNextPage && " or more"}
        </small>
      )}
    </Fact>
  );
}

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};
