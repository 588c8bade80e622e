import { useState } from "preact/hooks";
import { CreateMilestone, DeleteMilestone, type ProjectPageQuery, UpdateMilestone } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Drawing } from "../../parts/drawings.tsx";
import { Icon } from "../../parts/icon.tsx";
import { toast } from "../../parts/toast.tsx";
import { Day } from "./day.tsx";
import { Field, FormDialog, Meter, textOf } from "./form.tsx";
import { type Counts, type ProgressRead, percentOf } from "./progress.tsx";

type Milestone = ProjectPageQuery["project"]["projectMilestones"]["nodes"][number];

interface MilestonesProps {
  projectId: string;
  /** By their dates. */
  milestones: readonly Milestone[];
  /** There are more of them. */
  more: boolean;
  counts: ProgressRead["counts"];
  reload: () => Promise<void>;
}

/** The milestones of a project and how far each is: made, changed and removed here. */
export function Milestones({ projectId, milestones, more, counts, reload }: MilestonesProps) {
  const [open, setOpen] = useState<Milestone | "new">();
  const change = open === "new" ? undefined : open;
  const send = async (fields: FormData) => {
    const input = { name: textOf(fields, "name") ?? "", targetDate: textOf(fields, "targetDate") };
    if (change) await request(UpdateMilestone, { id: change.id, input });
    else await request(CreateMilestone, { input: { ...input, projectId } });
    await reload();
  };
  const remove = (id: string) => request(DeleteMilestone, { id }).then(reload, (error: Error) => toast(error.message));
  return (
    <section class="sec" aria-labelledby="milestones">
      <header>
        <h2 id="milestones">Milestones</h2>
        {more && <span class="dim">the first {milestones.length}</span>}
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
          <Field label="Name" name="name" value={change?.name} required />
          <Field label="Target date" name="targetDate" type="date" value={change?.targetDate} />
        </FormDialog>
      )}
    </section>
  );
}

interface RowProps {
  milestone: Milestone;
  counts: Counts | undefined;
  edit: () => void;
  remove: () => void;
}

function Row({ milestone: { name, targetDate }, counts, edit, remove }: RowProps) {
  const { shown, done } = counts ?? { shown: 0, done: 0 };
  const percent = percentOf({ shown, done });
  const reached = shown > 0 && done === shown;
  return (
    <li class={reached ? "reached" : undefined}>
      <Drawing name="milestone" class={reached ? "c-ok" : done > 0 ? "c-acc" : "dim"} />
      <b class="cut">
        <bdi>{name}</bdi>
      </b>
      <span class="dim when">{targetDate ? <Day at={targetDate} /> : "no date"}</span>
      <Meter percent={percent} label={`Done of ${name}`} />
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
