import { useState } from "preact/hooks";
import { CreateMilestone, DeleteMilestone, type ProjectPageQuery, UpdateMilestone } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Drawing } from "../../parts/drawings.tsx";
import { Icon } from "../../parts/icon.tsx";
import { toast } from "../../parts/toast.tsx";
import { Field, FormDialog, textOf } from "./form.tsx";

type Milestone = ProjectPageQuery["project"]["projectMilestones"]["nodes"][number];

interface MilestonesProps {
  projectId: string;
  milestones: readonly Milestone[];
  reload: () => Promise<void>;
}

/** The milestones of a project by their dates: made, changed and removed here. */
export function Milestones({ projectId, milestones, reload }: MilestonesProps) {
  const [open, setOpen] = useState<Milestone | "new">();
  const sorted = [...milestones].sort((a, b) => ((a.targetDate ?? "9") < (b.targetDate ?? "9") ? -1 : 1));
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
        <button class="btn quiet to-right" type="button" onClick={() => setOpen("new")}>
          <Icon name="plus" class="i-14" />
          New milestone
        </button>
      </header>
      {sorted.length > 0 && (
        <ul class="links">
          {sorted.map((milestone) => (
            <li key={milestone.id}>
              <Drawing name="milestone" class="dim" />
              <bdi class="cut grow">{milestone.name}</bdi>
              <span class="dim">{milestone.targetDate ?? "no date"}</span>
              <button class="btn quiet" type="button" onClick={() => setOpen(milestone)}>
                Edit<span class="sr"> {milestone.name}</span>
              </button>
              <button
                class="btn quiet sq"
                type="button"
                aria-label={`Remove ${milestone.name}`}
                onClick={() => void remove(milestone.id)}
              >
                <Icon name="x" class="i-14" />
              </button>
            </li>
          ))}
        </ul>
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
