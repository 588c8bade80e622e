import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import {
  type IssueFilter,
  Issues,
  LabelPage,
  ProfilePages,
  StatePage,
  TeamPage,
  UpdateLabel,
  UpdateTeam,
} from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { EmptyState, ReadError, type ReadErrorProps } from "../../parts/states.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Page } from "../../shell/page.tsx";
import { FormDialog, readFormText, TextField } from "../projects/form.tsx";
import { toAppPath } from "./path.ts";
import { IssueTable } from "./table.tsx";

const MOST = 100;

interface OfProps {
  /** Kind of the entity, such as "Team" or "Label". */
  kind: string;
  title: string | undefined;
  error: ReadErrorProps["error"] | undefined;
  retry: () => void;
  filter?: IssueFilter;
  /** Page that the breadcrumb links to; by default the list of issues. */
  list?: { href: string; name: string };
  /** Opens the form that changes the entity. */
  edit?: () => void;
  children?: ComponentChildren;
}

const ISSUES = { href: "/issues", name: "Issues" };

/** Page of an entity with issues, such as a team or a label: its properties and its issues. */
export const EntityIssuesPage = ({ kind, title, error, retry, filter, list = ISSUES, edit, children }: OfProps) => (
  <Page title={title ?? kind}>
    <header class="head stick">
      <nav class="crumb" aria-label="Breadcrumb">
        <a href={list.href}>{list.name}</a>
        <Icon name="right" class="i-14" />
        {list === ISSUES && (
          <>
            <span>{kind}</span>
            <Icon name="right" class="i-14" />
          </>
        )}
      </nav>
      <h1 class="cut" title={title}>
        <bdi>{title ?? "…"}</bdi>
      </h1>
      {edit && (
        <div class="acts">
          <button class="btn" type="button" onClick={edit}>
            <Icon name="edit" class="i-14" />
            Edit<span class="sr"> {kind.toLowerCase()}</span>
          </button>
        </div>
      )}
    </header>
    <div class="page">
      {!title && error && <ReadError error={error} retry={retry} title={`${kind} not found`} />}
      {children}
      {filter && <IssuesOf filter={filter} />}
    </div>
  </Page>
);

function IssuesOf({ filter }: { filter: IssueFilter }) {
  const { data, error, reload } = useQuery(Issues, { filter, first: MOST });
  useReloadOnChange(({ type }) => type === "Issue", reload, JSON.stringify(filter));
  return (
    <LoadedContent data={data?.issues} error={error} retry={reload} lines={4}>
      {({ nodes, pageInfo }) =>
        nodes.length === 0 ? (
          <EmptyState icon="issues" title="No issues" />
        ) : (
          <section class="card" aria-label="Issues">
            <IssueTable issues={nodes} />
            {pageInfo.hasNextPage && (
              <p class="pad dim">The list shows the {MOST} issues that changed most recently.</p>
            )}
          </section>
        )
      }
    </LoadedContent>
  );
}

/** Page of the team with the given key, with the issues of the team. */
export function TeamIssues({ teamKey }: { teamKey: string }) {
  const { data, error, reload } = useQuery(TeamPage, { key: teamKey });
  const team = data?.team;
  const [editing, edit] = useState(false);
  const save = async (fields: FormData) => {
    const input = { name: readFormText(fields, "name"), description: readFormText(fields, "description") };
    await requestGraphQL(UpdateTeam, { id: team?.id ?? "", input });
    await reload();
  };
  return (
    <EntityIssuesPage
      kind="Team"
      title={team?.name}
      error={error}
      retry={reload}
      {...(team && { edit: () => edit(true), filter: { team: { id: { eq: team.id } } } })}
    >
      {team?.description && <Markdown text={team.description} links />}
      {editing && (
        <FormDialog title="Edit team" action="Save" send={save} close={() => edit(false)}>
          <TextField label="Name" name="name" value={team?.name} required />
          <TextField label="Description" name="description" value={team?.description} />
        </FormDialog>
      )}
    </EntityIssuesPage>
  );
}

/** Page of the label with the given id, with the issues that have the label. */
export function LabelIssues({ id }: { id: string }) {
  const { data, error, reload } = useQuery(LabelPage, { id });
  const label = data?.issueLabel;
  const [editing, edit] = useState(false);
  const save = async (fields: FormData) => {
    const input = { name: readFormText(fields, "name"), color: readFormText(fields, "color") };
    await requestGraphQL(UpdateLabel, { id, input });
    await reload();
  };
  return (
    <EntityIssuesPage
      kind="Label"
      title={label?.name}
      error={error}
      retry={reload}
      {...(label && { edit: () => edit(true), filter: { labels: { some: { id: { eq: label.id } } } } })}
    >
      {editing && label && (
        <FormDialog title="Edit label" action="Save" send={save} close={() => edit(false)}>
          <TextField label="Name" name="name" value={label.name} required />
          <TextField label="Color" name="color" type="color" value={label.color} />
        </FormDialog>
      )}
    </EntityIssuesPage>
  );
}

/** Page of the workflow state with the given id, with the issues in the state. */
export function StateIssues({ id }: { id: string }) {
  const { data, error, reload } = useQuery(StatePage, { id });
  const state = data?.workflowState;
  return (
    <EntityIssuesPage
      kind="State"
      title={state && `${state.name} of ${state.team.name}`}
      error={error}
      retry={reload}
      {...(state && { filter: { state: { id: { eq: state.id } } } })}
    />
  );
}

/**
 * Page of a user, with the issues assigned to the user. The URL contains no user id, so the page finds the user whose
 * profile URL has the same path.
 */
export function ProfileIssues() {
  const { data, error, reload } = useQuery(ProfilePages, {});
  const user = data?.users.nodes.find(({ url }) => toAppPath(url) === location.pathname.replace(/\/$/, ""));
  const missing = data && !user ? new Error("No member of this organization has this name.") : error;
  return (
    <EntityIssuesPage
      kind="User"
      title={user?.name}
      error={missing}
      retry={reload}
      {...(user && { filter: { assignee: { id: { eq: user.id } } } })}
    >
      {user && (
        <p class="mid">
          {user.email}
          {!user.active && ", former member"}
        </p>
      )}
    </EntityIssuesPage>
  );
}
