import { useState } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { ProjectPage as ProjectDocument, type ProjectPageQuery, UpdateProject } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { LoadingPlaceholder, ReadError } from "../../parts/states.tsx";
import { CopyButton } from "../../parts/texts/copy.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Page } from "../../shell/page.tsx";
import { useTeamKeysPattern } from "../issues/team-keys.ts";
import { FormDialog, readFormText, TextField } from "./form.tsx";
import { ProjectMilestones } from "./milestones.tsx";
import { OpenIssuesByMilestone } from "./planned.tsx";
import { ProgressCard, type ProjectProgressData, useProjectProgress } from "./progress.tsx";
import { ProjectProperties } from "./side.tsx";

/** Project as read for the project page. */
export type ProjectData = ProjectPageQuery["project"];

/** Page at `/projects/:id`. */
export default function ProjectRoute({ params: { id = "" } }: { params: Record<string, string> }) {
  return <ProjectPage key={id} slug={id} />;
}

/** Page of the project with the given slug. Shows the progress, the milestones, the open issues and the properties. */
export function ProjectPage({ slug }: { slug: string }) {
  const { data, error, reload } = useQuery(ProjectDocument, { slug });
  const [editing, edit] = useState(false);
  const project = data?.project;
  useReloadOnChange(({ type }) => type === "Project" || type === "ProjectMilestone", reload, slug);
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
            <CopyButton text={project.url} label="Copy the link" />
          </div>
        )}
      </header>
      {!project && !error && <LoadingPlaceholder />}
      {!project && <h1 class="sr">Project</h1>}
      {!project && error && <ReadError error={error} retry={reload} title="Project not found" />}
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
  const progress = useProjectProgress(rest.project);
  // Shows the page only after the progress is read or the read has failed. On a small screen the progress is above the
  // properties, so a progress that appears later would move the properties.
  if (!progress.data && !progress.error) return <LoadingPlaceholder />;
  return (
    <div class="issue">
      <div class="body" role="region" aria-label="Project">
        <Overview {...rest} progress={progress} />
      </div>
      <ProjectProperties {...rest} statuses={statuses} progress={progress} />
    </div>
  );
}

function Overview({ project, progress, reload }: ProjectProps & { progress: ProjectProgressData }) {
  const keys = useTeamKeysPattern();
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
      <ProjectMilestones
        projectId={id}
        milestones={milestones}
        more={projectMilestones.pageInfo.hasNextPage}
        counts={progress.counts}
        reload={reload}
      />
      <OpenIssuesByMilestone project={project} milestones={milestones} counts={progress.counts} />
    </div>
  );
}

function EditProject({ project, reload, close }: ProjectProps & { close: () => void }) {
  const save = async (fields: FormData) => {
    const input = { name: readFormText(fields, "name"), description: readFormText(fields, "description") ?? "" };
    await requestGraphQL(UpdateProject, { id: project.id, input });
    await reload();
  };
  return (
    <FormDialog title="Edit project" action="Save" send={save} close={close}>
      <TextField label="Name" name="name" value={project.name} required />
      <TextField label="Summary" name="description" value={project.description} />
    </FormDialog>
  );
}
