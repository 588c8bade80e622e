import type { ComponentChildren } from "preact";
import { useChanges } from "../../data/changes.ts";
import {
  type IssueFilter,
  Issues,
  LabelPage,
  ProfilePages,
  ProjectPage as ProjectDocument,
  StatePage,
  TeamPage,
} from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Empty, Unread, type UnreadProps } from "../../parts/states.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Page } from "../../shell/page.tsx";
import { pathOf } from "./path.ts";
import { IssueTable } from "./table.tsx";

const MOST = 100;

interface OfProps {
  /** Its kind: "Team", "Label". */
  kind: string;
  title: string | undefined;
  error: UnreadProps["error"] | undefined;
  retry: () => void;
  filter?: IssueFilter;
  children?: ComponentChildren;
}

/** Something that issues belong to: what it is, and its issues. */
const Of = ({ kind, title, error, retry, filter, children }: OfProps) => (
  <Page title={title ?? kind}>
    <header class="head stick">
      <nav class="crumb" aria-label="Breadcrumb">
        <a href="/issues">Issues</a>
        <Icon name="right" class="i-14" />
        <span>{kind}</span>
        <Icon name="right" class="i-14" />
      </nav>
      <h1 class="cut" title={title}>
        <bdi>{title ?? "…"}</bdi>
      </h1>
    </header>
    <div class="page">
      {!title && error && <Unread error={error} retry={retry} title={`This ${kind.toLowerCase()} is not here`} />}
      {children}
      {filter && <IssuesOf filter={filter} />}
    </div>
  </Page>
);

function IssuesOf({ filter }: { filter: IssueFilter }) {
  const { data, error, reload } = useQuery(Issues, { filter, first: MOST });
  useChanges(({ type }) => type === "Issue", reload, JSON.stringify(filter));
  return (
    <Loaded data={data?.issues} error={error} retry={reload} lines={4}>
      {({ nodes, pageInfo }) =>
        nodes.length === 0 ? (
          <Empty icon="issues" title="No issues" />
        ) : (
          <section class="card" aria-label="Issues">
            <IssueTable issues={nodes} />
            {pageInfo.hasNextPage && <p class="pad dim">The {MOST} changed last.</p>}
          </section>
        )
      }
    </Loaded>
  );
}

/** A team, by its key. */
export function TeamIssues({ teamKey }: { teamKey: string }) {
  const { data, error, reload } = useQuery(TeamPage, { key: teamKey });
  const team = data?.team;
  return (
    <Of
      kind="Team"
      title={team?.name}
      error={error}
      retry={reload}
      {...(team && { filter: { team: { id: { eq: team.id } } } })}
    >
      {team?.description && <Markdown text={team.description} links />}
    </Of>
  );
}

/** A label, by its id. */
export function LabelIssues({ id }: { id: string }) {
  const { data, error, reload } = useQuery(LabelPage, { id });
  const label = data?.issueLabel;
  return (
    <Of
      kind="Label"
      title={label?.name}
      error={error}
      retry={reload}
      {...(label && { filter: { labels: { some: { id: { eq: label.id } } } } })}
    />
  );
}

/** A workflow state, by its id. */
export function StateIssues({ id }: { id: string }) {
  const { data, error, reload } = useQuery(StatePage, { id });
  const state = data?.workflowState;
  return (
    <Of
      kind="State"
      title={state && `${state.name} of ${state.team.name}`}
      error={error}
      retry={reload}
      {...(state && { filter: { state: { id: { eq: state.id } } } })}
    />
  );
}

/** A person, by the address alone: it is made of the name. */
export function ProfileIssues() {
  const { data, error, reload } = useQuery(ProfilePages, {});
  const user = data?.users.nodes.find(({ url }) => pathOf(url) === location.pathname.replace(/\/$/, ""));
  const missing = data && !user ? new Error("Nobody here has this name now.") : error;
  return (
    <Of
      kind="Person"
      title={user?.name}
      error={missing}
      retry={reload}
      {...(user && { filter: { assignee: { id: { eq: user.id } } } })}
    >
      {user && (
        <p class="mid">
          {user.email}
          {!user.active && ", no longer a member"}
        </p>
      )}
    </Of>
  );
}

/** A project, by its slug. */
export function ProjectPage({ slug }: { slug: string }) {
  const { data, error, reload } = useQuery(ProjectDocument, { slug });
  const project = data?.project;
  return (
    <Of
      kind="Project"
      title={project?.name}
      error={error}
      retry={reload}
      {...(project && { filter: { project: { id: { eq: project.id } } } })}
    >
      {project && (
        <>
          <dl class="figs">
            <Figure name="Status" value={project.status.name} />
            <Figure name="Done" value={`${Math.round(project.progress * 100)} %`} />
            <Figure name="Lead" value={project.lead?.name ?? "–"} />
            <Figure name="Target" value={project.targetDate ?? "–"} />
          </dl>
          {project.description && <p class="wraps">{project.description}</p>}
          {project.content && <Markdown text={project.content} links />}
        </>
      )}
    </Of>
  );
}

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="cut">{value}</dd>
  </div>
);
