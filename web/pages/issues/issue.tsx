import { useEffect } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { Issue, type IssueQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Skeleton, Unread } from "../../parts/states.tsx";
import { Copy } from "../../parts/texts/copy.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Page } from "../../shell/page.tsx";
import { Comments } from "./comments.tsx";
import { History } from "./history.tsx";
import { isOver, PriorityMark, StateMark } from "./marks.tsx";
import { pathOf } from "./path.ts";
import { Relations } from "./relations.tsx";
import { Sessions } from "./sessions.tsx";
import { Properties } from "./side/properties.tsx";

/** One issue in full. */
export type IssueData = IssueQuery["issue"];

/** One issue: its text, what belongs to it, and what was said. */
export function IssuePage({ identifier }: { identifier: string }) {
  const { data, error, reload } = useQuery(Issue, { id: identifier });
  const issue = data?.issue;
  useChanges((change) => concerns(change, issue?.id), reload, issue?.id ?? identifier);
  return (
    <Page title={issue ? `${issue.identifier} ${issue.title}` : identifier} fixed>
      <header class="head">
        <nav class="crumb" aria-label="Breadcrumb">
          <a href="/issues">Issues</a>
          <Icon name="right" class="i-14" />
          <span class="mono" aria-current="page">
            {issue?.identifier ?? identifier}
          </span>
        </nav>
        <div class="acts">
          <a class="btn quiet only-wide" href={`/sessions?q=${encodeURIComponent(issue?.identifier ?? identifier)}`}>
            Sessions that mention it
          </a>
          <Copy text={issue?.url ?? location.href} label="Copy the link" />
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

const concerns = ({ type, data }: { type: string; data: Record<string, unknown> }, id: string | undefined): boolean => {
  if (type === "Issue") return data["id"] === id || data["parentId"] === id;
  return (type === "Comment" || type === "IssueRelation") && [data["issueId"], data["relatedIssueId"]].includes(id);
};

function Text({ issue, reload }: { issue: IssueData; reload: () => void }) {
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
  }, [issue.id]);
  return (
    <div class="col">
      <div class="stack">
        <h1 class="wraps" dir="auto">
          {issue.title}
        </h1>
        {(issue.trashed || issue.archivedAt) && (
          <p class="note">{issue.trashed ? "It is in the trash, and will be removed." : "It is archived."}</p>
        )}
        <div class="only-thin row">
          <StateMark state={issue.state} />
          <PriorityMark priority={issue.priority} label={issue.priorityLabel} />
        </div>
        {issue.description ? (
          <div class="prose">
            <Markdown text={issue.description} links />
          </div>
        ) : (
          <p class="dim">No description.</p>
        )}
      </div>
      {issue.children.nodes.length > 0 && <Children issues={issue.children.nodes} />}
      <Relations issue={issue} />
      <Sessions issueId={issue.id} identifier={issue.identifier} />
      <Comments issue={issue} reload={reload} />
      <History issueId={issue.id} />
    </div>
  );
}

const Children = ({ issues }: { issues: IssueData["children"]["nodes"] }) => (
  <section class="sec" aria-labelledby="parts">
    <header>
      <h2 id="parts">Sub-issues</h2>
      <span class="dim">
        {issues.filter(({ state }) => isOver(state.type)).length} of {issues.length} closed
      </span>
    </header>
    <ul class="links">
      {issues.map(({ id, identifier, title, url, state }) => (
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
