import { useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { ProjectPage as ProjectDocument, type ProjectPageQuery, UpdateProject } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Picker } from "../../parts/choose/picker.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { toast } from "../../parts/toast.tsx";
import { useFieldOptions } from "../issues/choices.tsx";
import { Of } from "../issues/of.tsx";
import { useTeamKeys } from "../issues/team-keys.ts";
import { Field, FormDialog, Progress, textOf } from "./form.tsx";
import { Milestones } from "./milestones.tsx";

/** Stands at `/projects/:id`. */
export default function Project({ params: { id = "" } }: { params: Record<string, string> }) {
  return <ProjectPage key={id} slug={id} />;
}

/** A project, by its slug: its progress, its milestones and its issues. */
export function ProjectPage({ slug }: { slug: string }) {
  const { data, error, reload } = useQuery(ProjectDocument, { slug });
  const [editing, edit] = useState(false);
  const keys = useTeamKeys();
  const project = data?.project;
  useChanges(({ type }) => /^(Project|ProjectMilestone|Issue)$/.test(type), reload, slug);
  const save = async (fields: FormData) => {
    const input = {
      name: textOf(fields, "name"),
      targetDate: textOf(fields, "targetDate"),
      description: textOf(fields, "description") ?? "",
    };
    await request(UpdateProject, { id: project?.id ?? "", input });
    await reload();
  };
  return (
    <Of
      kind="Project"
      list={{ href: "/projects", name: "Projects" }}
      title={project?.name}
      error={error}
      retry={reload}
      {...(project && { edit: () => edit(true), filter: { project: { id: { eq: project.id } } } })}
    >
      {project && (
        <>
          <Figures project={project} statuses={data.projectStatuses.nodes} reload={reload} />
          {project.description && <p class="wraps">{project.description}</p>}
          {project.content && <Markdown text={project.content} links issues={keys} />}
          <Milestones projectId={project.id} milestones={project.projectMilestones.nodes} reload={reload} />
          {editing && (
            <FormDialog title="Edit project" action="Save" send={save} close={() => edit(false)}>
              <Field label="Name" name="name" value={project.name} required />
              <Field label="Summary" name="description" value={project.description} />
              <Field label="Target date" name="targetDate" type="date" value={project.targetDate} />
            </FormDialog>
          )}
        </>
      )}
    </Of>
  );
}

interface FiguresProps {
  project: ProjectPageQuery["project"];
  statuses: ProjectPageQuery["projectStatuses"]["nodes"];
  reload: () => Promise<void>;
}

function Figures({ project: { id, status, progress, lead, targetDate }, statuses, reload }: FiguresProps) {
  const { people } = useFieldOptions(undefined);
  const change = (input: { statusId: string } | { leadId: string | null }) =>
    void request(UpdateProject, { id, input }).then(reload, (error: Error) => toast(error.message));
  const options = [...statuses].sort((a, b) => a.position - b.position);
  return (
    <dl class="figs">
      <div>
        <dt>Status</dt>
        <dd>
          <Picker
            label="Status"
            class="value"
            value={status.name}
            options={options}
            chosen={[status.id]}
            choose={(statusId) => change({ statusId })}
          >
            <bdi class="cut">{status.name}</bdi>
          </Picker>
        </dd>
      </div>
      <div>
        <dt>Done</dt>
        <dd>
          <Progress of={progress} label="Done" />
        </dd>
      </div>
      <div>
        <dt>Lead</dt>
        <dd>
          <Picker
            label="Lead"
            class={lead ? "value" : "value unset"}
            value={lead?.name ?? "Nobody"}
            options={people}
            chosen={[lead?.id ?? ""]}
            choose={(leadId) => change({ leadId: leadId || null })}
          >
            <bdi class="cut">{lead?.name ?? "Nobody"}</bdi>
          </Picker>
        </dd>
      </div>
      <div>
        <dt>Target</dt>
        <dd class="cut">{targetDate ?? "–"}</dd>
      </div>
    </dl>
  );
}
