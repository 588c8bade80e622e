import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
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
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Empty, Unread, type UnreadProps } from "../../parts/states.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Page } from "../../shell/page.tsx";
import { Field, FormDialog, textOf } from "../projects/form.tsx";
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
  /** The list that it stands in; the issues by default. */
  list?: { href: string; name: string };
  /** Opens what changes it. */
  edit?: () => void;
  children?: ComponentChildren;
}

const ISSUES = { href: "/issues", name: "Issues" };

/** Something that issues belong to: what it is, and its issues. */
export const Of = ({ kind, title, error, retry, filter, list = ISSUES, edit, children }: OfProps) => (
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
  const [editing, edit] = useState(false);
  const save = async (fields: FormData) => {
    const input = { name: textOf(fields, "name"), description: textOf(fields, "description") };
    await request(UpdateTeam, { id: team?.id ?? "", input });
    await reload();
  };
  return (
    <Of
      kind="Team"
      title={team?.name}
      error={error}
      retry={reload}
      {...(team && { edit: () => edit(true), filter: { team: { id: { eq: team.id } } } })}
    >
      {team?.description && <Markdown text={team.description} links />}
      {editing && (
        <FormDialog title="Edit team" action="Save" send={save} close={() => edit(false)}>
          <Field label="Name" name="name" value={team?.name} required />
          <Field label="Description" name="description" value={team?.description} />
        </FormDialog>
      )}
    </Of>
  );
}

/** A label, by its id. */
export function LabelIssues({ id }: { id: string }) {
  const { data, error, reload } = useQuery(LabelPage, { id });
  const label = data?.issueLabel;
  const [editing, edit] = useState(false);
  const save = async (fields: FormData) => {
    const input = { name: textOf(fields, "name"), color: textOf(fields, "color") };
    await request(UpdateLabel, { id, input });
    await reload();
  };
  return (
    <Of
      kind="Label"
      title={label?.name}
      error={error}
      retry={reload}
      {...(label && { edit: () => edit(true), filter: { labels: { some: { id: { eq: label.id } } } } })}
    >
      {editing && label && (
        <FormDialog title="Edit label" action="Save" send={save} close={() => edit(false)}>
          <Field label="Name" name="name" value={label.name} required />
          <Field label="Colour" name="color" type="color" value={label.color} />
        </FormDialog>
      )}
    </Of>
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
