import { SessionIssues } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { CostText } from "../../parts/cost.tsx";
import {
  formatCount,
  formatDuration,
  formatExactTime,
  formatPlural,
  formatTimeOfDay,
} from "../../parts/texts/format.ts";
import { Age, tickingTime } from "../../parts/time/time.tsx";
import { toAppPath } from "../issues/path.ts";
import { computeSessionEnd } from "../sessions/row.tsx";
import type { EventTree } from "./events.ts";
import type { SessionData } from "./readings.ts";

/** Maximum number of issues that are listed by identifier. The remaining issues are only counted. */
const SHOWN = 3;

/** Summary of a session: agent, user, usage and issues. */
export function SessionSummary({ recorded, tree }: { recorded: SessionData; tree: EventTree }) {
  const { totals, brief, user, clientConfig, startedAt } = recorded;
  const began = Date.parse(startedAt);
  const end = Math.max(
    computeSessionEnd(recorded),
    tree.all.length > 0 ? tree.end : 0,
    tree.open ? tickingTime.value : 0,
  );
  return (
    <dl class="facts" tabIndex={0}>
      <Fact name="Agent">
        <bdi>{recorded.source ?? brief.agent ?? "–"}</bdi> <small>{clientConfig}</small>
      </Fact>
      {user && <UserFact user={user} />}
      <Fact name="Started">
        <time dateTime={startedAt} title={formatExactTime(began)}>
          {formatTimeOfDay(began)}
        </time>{" "}
        <small>
          <Age at={startedAt} />
        </small>
      </Fact>
      <Fact name="Duration">
        {formatDuration(end - began)} {tree.open && <small>so far</small>}
      </Fact>
      <Fact name="Events">
        {formatCount(totals.events)}{" "}
        <small>
          {formatPlural(totals.turns, "turn")} · {formatPlural(totals.toolCalls, "tool call")}
        </small>
      </Fact>
      <UsageFacts totals={totals} />
      <Fact name="Failures">{totals.failures === 0 ? "–" : formatCount(totals.failures)}</Fact>
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

/** User of a session, with the first traits. */
function UserFact({ user }: { user: NonNullable<SessionData["user"]> }) {
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

/** Models, tokens and cost of a session. */
const UsageFacts = ({ totals }: Pick<SessionData, "totals">) => (
  <>
    {totals.models.length > 0 && (
      <Fact name="Model">
        <bdi>{totals.models[0]}</bdi> {totals.models.length > 1 && <small>+{totals.models.length - 1}</small>}
      </Fact>
    )}
    {totals.inputTokens + totals.outputTokens > 0 && (
      <Fact name="Tokens">
        {formatCount(totals.inputTokens + totals.outputTokens)}{" "}
        {totals.cacheReadTokens > 0 && <small>{formatCount(totals.cacheReadTokens)} cached</small>}
      </Fact>
    )}
    {(totals.cost ?? 0) > 0 && (
      <Fact name="Cost">
        <CostText {...totals} />
      </Fact>
    )}
  </>
);

/** Issues that a session claimed, created or mentioned. Renders nothing if the session has no linked issues. */
function IssuesFact({ sessionId }: { sessionId: string }) {
  const { data } = useQuery(SessionIssues, { id: sessionId });
  const page = data?.recordedSession.issueLinks;
  if (!page || page.nodes.length === 0) return null;
  const rest = page.nodes.length - SHOWN;
  return (
    <Fact name="Issues">
      {page.nodes.slice(0, SHOWN).map(({ id, kinds, issue }) => (
        <span key={id}>
          <a href={toAppPath(issue.url)} title={`${issue.title} (${kinds.join(", ")})`}>
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
