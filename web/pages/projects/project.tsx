import { useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { ProjectPage as ProjectDocument, type ProjectPageQuery, UpdateProject } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Skeleton, Unread } from "../../parts/states.tsx";
import { Copy } from "../../parts/texts/copy.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Page } from "../../shell/page.tsx";
import { useTeamKeys } from "../issues/team-keys.ts";
import { Field, FormDialog, textOf } from "./form.tsx";
import { Milestones } from "./milestones.tsx";
import { Planned } from "./planned.tsx";
import { ProgressCard, type ProgressRead, useProgress } from "./progress.tsx";
import { Side } from "./side.tsx";

/** A project in full. */
export type ProjectData = ProjectPageQuery["project"];

/** Stands at `/projects/:id`. */
export default function Project({ params: { id = "" } }: { params: Record<string, string> }) {
  return <ProjectPage key={id} slug={id} />;
}

/** A project, by its slug: how far it is, its milestones, its open issues and its properties. */
export function ProjectPage({ slug }: { slug: string }) {
  const { data, error, reload } = useQuery(ProjectDocument, { slug });
  const [editing, edit] = useState(false);
  const project = data?.project;
  useChanges(({ type }) => type === "Project" || type === "ProjectMilestone", reload, slug);
  return (
    <Page title={project?.name ?? "Project"} fixed>
      <header class="head">
        <nav class="crumb" aria-label="Breadcrumb">
          <a href="/projects">Projects</a>
          <Icon name="right" class="i-14" />
          <span class="cut" aria-current="page">
            <bdi>{project?.name ?? "…"}</bdi>
          </span>
        </nav>
        {project && (
          <div class="acts">
            <button class="btn" type="button" onClick={() => edit(true)}>
              <Icon name="edit" class="i-14" />
              Edit<span class="sr"> project</span>
            </button>
            <Copy text={project.url} label="Copy the link" />
          </div>
        )}
      </header>
      {!project && !error && <Skeleton />}
      {!project && <h1 class="sr">Project</h1>}
      {!project && error && <Unread error={error} retry={reload} title="This project is not here" />}
      {project && <Parts project={project} statuses={data.projectStatuses.nodes} reload={reload} />}
      {project && editing && <EditProject project={project} reload={reload} close={() => edit(false)} />}
    </Page>
  );
}

interface ProjectProps {
  project: ProjectData;
  reload: () => Promise<void>;
}

function Parts({ statuses, ...rest }: ProjectProps & { statuses: ProjectPageQuery["projectStatuses"]["nodes"] }) {
  const progress = useProgress(rest.project);
  // All at once: what comes later above the properties would move them on a small screen.
  if (!progress.data && !progress.error) return <Skeleton />;
  return (
    <div class="issue">
      <div class="body" role="region" aria-label="Project">
        <Overview {...rest} progress={progress} />
      </div>
      <Side {...rest} statuses={statuses} progress={progress} />
    </div>
  );
}

function Overview({ project, progress, reload }: ProjectProps & { progress: ProgressRead }) {
  const keys = useTeamKeys();
  const { id, name, description, content, projectMilestones } = project;
  const milestones = [...projectMilestones.nodes].sort((a, b) =>
    (a.targetDate ?? "9") < (b.targetDate ?? "9") ? -1 : 1,
  );
  return (
    <div class="col">
      <div class="stack">
        <h1 class="wraps" dir="auto">
          {name}
        </h1>
        {description && <p class="summary wraps">{description}</p>}
        {content && (
          <div class="prose">
            <Markdown text={content} links issues={keys} />
          </div>
        )}
      </div>
      <ProgressCard project={project} progress={progress} />
      <Milestones
        projectId={id}
        milestones={milestones}
        more={projectMilestones.pageInfo.hasNextPage}
        counts={progress.counts}
        reload={reload}
      />
      <Planned project={project} milestones={milestones} counts={progress.counts} />
    </div>
  );
}

function EditProject({ project, reload, close }: ProjectProps & { close: () => void }) {
  const save = async (fields: FormData) => {
    const input = { name: textOf(fields, "name"), description: textOf(fields, "description") ?? "" };
    await request(UpdateProject, { id: project.id, input });
    await reload();
  };
  return (
    <FormDialog title="Edit project" action="Save" send={save} close={close}>
      <Field label="Name" name="name" value={project.name} required />
      <Field label="Summary" name="description" value={project.description} />
    </FormDialog>
  );
}
