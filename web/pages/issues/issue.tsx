import { useEffect } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { Issue, type IssueQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Skeleton, Unread } from "../../parts/states.tsx";
import { Copy } from "../../parts/texts/copy.tsx";
import { loadMarkdown } from "../../parts/texts/markdown.tsx";
import { openNewIssue } from "../../shell/new-issue-state.ts";
import { Page } from "../../shell/page.tsx";
import { navigate, place } from "../../shell/router.ts";
import { FilesOfIssue } from "../session/files/of-issue.tsx";
import { Conversation } from "./conversation/conversation.tsx";
import { HandOver } from "./hand/hand-over.tsx";
import { Neighbours } from "./list/trail.tsx";
import { isOver, StateMark } from "./marks.tsx";
import { More } from "./more.tsx";
import { pathOf } from "./path.ts";
import { ProofAndHandover } from "./proof.tsx";
import { Relations } from "./relations.tsx";
import { Properties } from "./side/properties.tsx";
import { Description } from "./text/description.tsx";
import { Origin } from "./text/origin.tsx";
import { Standing } from "./text/standing.tsx";
import { Title } from "./text/title.tsx";

/** One issue in full. */
export type IssueData = IssueQuery["issue"];

/** One issue: its text, what belongs to it, and what was said. */
export function IssuePage({ identifier }: { identifier: string }) {
  const { data, error, reload } = useQuery(Issue, { id: identifier });
  const issue = data?.issue;
  useChanges((change) => concerns(change, issue?.id), reload, issue?.id ?? identifier);
  useOwnAddress(issue);
  useEffect(() => void loadMarkdown(), []);
  return (
    <Page title={issue ? `${issue.identifier} ${issue.title}` : identifier} fixed keys={KEYS}>
      <header class="head">
        <nav class="crumb" aria-label="Breadcrumb">
          <a href={issue ? `/issues?team=${issue.team.key}` : "/issues"}>{issue?.team.name ?? "Issues"}</a>
          <Icon name="right" class="i-14" />
          <span class="mono" aria-current="page">
            {issue?.identifier ?? identifier}
          </span>
        </nav>
        <div class="acts">
          <Neighbours identifier={identifier} />
          {issue && <HandOver issue={issue} reload={reload} />}
          <Copy text={issue?.url ?? location.href} label="Copy the link" />
          {issue && <More issue={issue} reload={reload} />}
        </div>
      </header>
      {!issue && !error && <Skeleton />}
      {!issue && <h1 class="sr">{identifier}</h1>}
      {!issue && error && (
        <Unread
          error={error}
          retry={reload}
          icon="issues"
          title="It is not here"
          to={{ href: "/issues", name: "To the issues" }}
        />
      )}
      {issue && (
        <div class="issue">
          <div class="body" role="region" aria-label="Issue">
            <Text issue={issue} reload={reload} />
          </div>
          <Properties issue={issue} reload={reload} />
        </div>
      )}
    </Page>
  );
}

const KEYS: [string[], string][] = [
  [["E"], "edit"],
  [["S"], "state"],
  [["P"], "priority"],
  [["A"], "assign"],
  [["L"], "labels"],
  [["H"], "hand to agent"],
  [["M"], "comment"],
  [["J", "K"], "next, previous"],
  [["Esc"], "list"],
];

/** An address such as `/issues/ENG-1` becomes the issue's own. */
function useOwnAddress(issue: IssueData | undefined): void {
  useEffect(() => {
    if (issue && place.peek().path.startsWith("/issues/")) {
      navigate(pathOf(issue.url) + location.hash, { replace: true });
    }
  }, [issue?.url]);
}

const concerns = ({ type, data }: { type: string; data: Record<string, unknown> }, id: string | undefined): boolean => {
  if (type === "Issue") return data["id"] === id || data["parentId"] === id;
  return (type === "Comment" || type === "IssueRelation") && [data["issueId"], data["relatedIssueId"]].includes(id);
};

function Text({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
  }, [issue.id]);
  return (
    <div class="col">
      <div class="stack">
        <Title key={issue.id} issue={issue} reload={reload} />
        <Origin issue={issue} />
        {(issue.trashed || issue.archivedAt) && (
          <p class="note">{issue.trashed ? "It is in the trash, and will be removed." : "It is archived."}</p>
        )}
        <Standing issue={issue} />
        <Description key={issue.id} issue={issue} reload={reload} />
      </div>
      <ProofAndHandover issueId={issue.id} />
      <Children issue={issue} />
      <Relations issue={issue} reload={reload} />
      <Conversation key={issue.id} issue={issue} reload={reload} />
      {/* Last, since it comes later: what is pressed meanwhile must not move. */}
      <FilesOfIssue issueId={issue.id} />
    </div>
  );
}

const Children = ({ issue: { identifier, team, children } }: { issue: IssueData }) => (
  <section class="sec" aria-labelledby="parts">
    <header>
      <h2 id="parts">Sub-issues</h2>
      {children.nodes.length > 0 && (
        <span class="dim">
          {children.nodes.filter(({ state }) => isOver(state.type)).length} of {children.nodes.length} closed
        </span>
      )}
      <button
        class="btn quiet to-right"
        type="button"
        onClick={() => openNewIssue({ parent: identifier, teamId: team.id })}
      >
        <Icon name="plus" class="i-14" />
        New sub-issue
      </button>
    </header>
    <ul class="links" hidden={children.nodes.length === 0}>
      {children.nodes.map(({ id, identifier, title, url, state }) => (
        <li key={id}>
          <StateMark state={state} />
          <code class="dim">{identifier}</code>
          <a class="cut grow" href={pathOf(url)} title={title}>
            <bdi>{title}</bdi>
          </a>
        </li>
      ))}
    </ul>
  </section>
);
