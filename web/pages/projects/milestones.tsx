import { useState } from "preact/hooks";
import { CreateMilestone, DeleteMilestone, type ProjectPageQuery, UpdateMilestone } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { TrackerIcon } from "../../parts/drawings.tsx";
import { Icon } from "../../parts/icon.tsx";
import { showToast } from "../../parts/toast.tsx";
import { DayText } from "./day.tsx";
import { FormDialog, PercentBar, readFormText, TextField } from "./form.tsx";
import { computeCompletedPercent, type ProgressCounts, type ProjectProgressData } from "./progress.tsx";

type Milestone = ProjectPageQuery["project"]["projectMilestones"]["nodes"][number];

interface MilestonesProps {
  projectId: string;
  /** Milestones sorted by date. */
  milestones: readonly Milestone[];
  /** True if the project has more milestones than `milestones` contains. */
  more: boolean;
  counts: ProjectProgressData["counts"];
  reload: () => Promise<void>;
}

/** Milestones of a project with progress, and buttons that create, change and delete milestones. */
export function ProjectMilestones({ projectId, milestones, more, counts, reload }: MilestonesProps) {
  const [open, setOpen] = useState<Milestone | "new">();
  const change = open === "new" ? undefined : open;
  const send = async (fields: FormData) => {
    const input = { name: readFormText(fields, "name") ?? "", targetDate: readFormText(fields, "targetDate") };
    if (change) await requestGraphQL(UpdateMilestone, { id: change.id, input });
    else await requestGraphQL(CreateMilestone, { input: { ...input, projectId } });
    await reload();
  };
  const remove = (id: string) =>
    requestGraphQL(DeleteMilestone, { id }).then(reload, (error: Error) => showToast(error.message));
  return (
    <section class="sec" aria-labelledby="milestones">
      <header>
        <h2 id="milestones">Milestones</h2>
        {more && <span class="dim">first {milestones.length}</span>}
        <button class="btn quiet to-right" type="button" onClick={() => setOpen("new")}>
          <Icon name="plus" class="i-14" />
          New milestone
        </button>
      </header>
      {milestones.length > 0 && (
        <ol class="miles">
          {milestones.map((milestone) => (
            <Row
              key={milestone.id}
              milestone={milestone}
              counts={counts?.(milestone.id)}
              edit={() => setOpen(milestone)}
              remove={() => void remove(milestone.id)}
            />
          ))}
        </ol>
      )}
      {open && (
        <FormDialog
          title={change ? "Edit milestone" : "New milestone"}
          action={change ? "Save" : "Create milestone"}
          send={send}
          close={() => setOpen(undefined)}
        >
          <TextField label="Name" name="name" value={change?.name} required />
          <TextField label="Target date" name="targetDate" type="date" value={change?.targetDate} />
        </FormDialog>
      )}
    </section>
  );
}

interface RowProps {
  milestone: Milestone;
  counts: ProgressCounts | undefined;
  edit: () => void;
  remove: () => void;
}

function Row({ milestone: { name, targetDate }, counts, edit, remove }: RowProps) {
  const { shown, done } = counts ?? { shown: 0, done: 0 };
  const percent = computeCompletedPercent({ shown, done });
  const reached = shown > 0 && done === shown;
  return (
    <li class={reached ? "reached" : undefined}>
      <TrackerIcon name="milestone" class={reached ? "c-ok" : done > 0 ? "c-acc" : "dim"} />
      <b class="cut">
        <bdi>{name}</bdi>
      </b>
      <span class="dim when">{targetDate ? <DayText at={targetDate} /> : "no date"}</span>
      <PercentBar percent={percent} label={`Completed issues of ${name}`} />
      <span class="num mid">{counts ? `${done.toLocaleString()} of ${shown.toLocaleString()}` : "not counted"}</span>
      <span class="acts">
        <button class="btn quiet sq" type="button" aria-label={`Edit ${name}`} onClick={edit}>
          <Icon name="edit" class="i-14" />
        </button>
        <button class="btn quiet sq" type="button" aria-label={`Remove ${name}`} onClick={remove}>
          <Icon name="x" class="i-14" />
        </button>
      </span>
    </li>
  );
}
