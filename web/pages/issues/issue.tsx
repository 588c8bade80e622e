import { useEffect } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { Issue, type IssueQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { LoadingPlaceholder, ReadError } from "../../parts/states.tsx";
import { CopyButton } from "../../parts/texts/copy.tsx";
import { loadMarkdown } from "../../parts/texts/markdown.tsx";
import { openNewIssue } from "../../shell/new-issue-state.ts";
import { Page } from "../../shell/page.tsx";
import { appLocation, navigate } from "../../shell/router.ts";
import { IssueFilesSection } from "../session/files/of-issue.tsx";
import { IssueConversation } from "./conversation/conversation.tsx";
import { HandOverButton } from "./hand/hand-over.tsx";
import { AdjacentIssues } from "./list/trail.tsx";
import { isClosedStateType, StateBadge } from "./marks.tsx";
import { IssueMenu } from "./more.tsx";
import { toAppPath } from "./path.ts";
import { ProofAndHandover } from "./proof.tsx";
import { IssueRelations } from "./relations.tsx";
import { IssueProperties } from "./side/properties.tsx";
import { IssueDescription } from "./text/description.tsx";
import { IssueOrigin } from "./text/origin.tsx";
import { IssueSummary } from "./text/standing.tsx";
import { IssueTitle } from "./text/title.tsx";

/** Issue as read for the issue page. */
export type IssueData = IssueQuery["issue"];

/** Page of one issue: description, related entities and conversation. */
export function IssuePage({ identifier }: { identifier: string }) {
  const { data, error, reload } = useQuery(Issue, { id: identifier });
  const issue = data?.issue;
  useReloadOnChange((change) => concerns(change, issue?.id), reload, issue?.id ?? identifier);
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
          <AdjacentIssues identifier={identifier} />
          {issue && <HandOverButton issue={issue} reload={reload} />}
          <CopyButton text={issue?.url ?? location.href} label="Copy the link" />
          {issue && <IssueMenu issue={issue} reload={reload} />}
        </div>
      </header>
      {!issue && !error && <LoadingPlaceholder />}
      {!issue && <h1 class="sr">{identifier}</h1>}
      {!issue && error && (
        <ReadError
          error={error}
          retry={reload}
          icon="issues"
          title="Issue not found"
          to={{ href: "/issues", name: "Go to issues" }}
        />
      )}
      {issue && (
        <div class="issue">
          <div class="body" role="region" aria-label="Issue">
            <Text issue={issue} reload={reload} />
          </div>
          <IssueProperties issue={issue} reload={reload} />
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

/** Replaces an address such as `/issues/ENG-1` with the canonical address of the issue. */
function useOwnAddress(issue: IssueData | undefined): void {
  useEffect(() => {
    if (issue && appLocation.peek().path.startsWith("/issues/")) {
      navigate(toAppPath(issue.url) + location.hash, { replace: true });
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
        <IssueTitle key={issue.id} issue={issue} reload={reload} />
        <IssueOrigin issue={issue} />
        {(issue.trashed || issue.archivedAt) && (
          <p class="note">
            {issue.trashed ? "This issue is in the trash and will be deleted permanently." : "This issue is archived."}
          </p>
        )}
        <IssueSummary issue={issue} />
        <IssueDescription key={issue.id} issue={issue} reload={reload} />
      </div>
      <ProofAndHandover issueId={issue.id} />
      <Children issue={issue} />
      <IssueRelations issue={issue} reload={reload} />
      <IssueConversation key={issue.id} issue={issue} reload={reload} />
      {/* The files load late. In the last place they move no button that the user may be about to press. */}
      <IssueFilesSection issueId={issue.id} />
    </div>
  );
}

const Children = ({ issue: { identifier, team, children } }: { issue: IssueData }) => (
  <section class="sec" aria-labelledby="parts">
    <header>
      <h2 id="parts">Sub-issues</h2>
      {children.nodes.length > 0 && (
        <span class="dim">
          {children.nodes.filter(({ state }) => isClosedStateType(state.type)).length} of {children.nodes.length} closed
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
          <StateBadge state={state} />
          <code class="dim">{identifier}</code>
          <a class="cut grow" href={toAppPath(url)} title={title}>
            <bdi>{title}</bdi>
          </a>
        </li>
      ))}
    </ul>
  </section>
);
