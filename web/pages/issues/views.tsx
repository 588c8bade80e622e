import { useState } from "preact/hooks";
import { ChangeView, DeleteView, type IssueFilter, SaveView } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { navigate } from "../../shell/router.ts";
import { pathOfView, useViews, type View } from "../../shell/saved-views.tsx";
import { Sure } from "../settings/parts.tsx";

/** The button that saves what the page shows as a view. */
export function SaveButton({ filter }: { filter: IssueFilter }) {
  const [open, setOpen] = useState(false);
  const { reload } = useViews();
  const save = async (input: ViewInput) => {
    const { customViewCreate } = await request(SaveView, { input: { ...input, filterData: filter } });
    await reload();
    setOpen(false);
    if (customViewCreate.customView) navigate(pathOfView(customViewCreate.customView.id));
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => setOpen(true)}>
        Save view
      </button>
      {open && <ViewDialog title="Save view" save={save} close={() => setOpen(false)} />}
    </>
  );
}

/** The buttons of a view: its name and who sees it, and its end. */
export function ViewActions({ view }: { view: View }) {
  const [open, setOpen] = useState<"change" | "delete">();
  const { reload } = useViews();
  const close = () => setOpen(undefined);
  const change = async (input: ViewInput) => {
    await request(ChangeView, { id: view.id, input });
    await reload();
    close();
  };
  const remove = async () => {
    await request(DeleteView, { id: view.id });
    navigate("/issues");
    await reload();
  };
  return (
    <>
      <button class="btn" type="button" onClick={() => setOpen("change")}>
        Edit view
      </button>
      <button class="btn" type="button" onClick={() => setOpen("delete")}>
        Delete view
      </button>
      {open === "change" && <ViewDialog title="Edit view" view={view} save={change} close={close} />}
      {open === "delete" && (
        <Sure title={`Delete “${view.name}”?`} action="Delete view" act={remove} close={close}>
          {view.shared ? "It goes for everybody." : "Nobody else sees it."} The issues stay as they are.
        </Sure>
      )}
    </>
  );
}

interface ViewInput {
  name: string;
  shared: boolean;
}

interface DialogProps {
  title: string;
  view?: View;
  save: (input: ViewInput) => Promise<void>;
  close: () => void;
}

function ViewDialog({ title, view, save, close }: DialogProps) {
  const { busy, error, send } = useSending();
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    send(save({ name: String(form.get("name")).trim(), shared: form.has("shared") || !mayChange(view) }));
  };
  return (
    <Dialog title={title} close={close}>
      <form class="stack" onSubmit={onSubmit}>
        <label class="field">
          <span>Name</span>
          <input class="in" name="name" defaultValue={view?.name} maxLength={256} required />
        </label>
        <label class="row">
          <input
            type="checkbox"
            class="check"
            name="shared"
            defaultChecked={view?.shared ?? false}
            disabled={!mayChange(view)}
          />
          Everybody sees it
        </label>
        <Problem words={error} />
        <button class="btn pri" type="submit" disabled={busy} aria-busy={busy}>
          Save
        </button>
      </form>
    </Dialog>
  );
}

/** Only its owner takes a shared view back. */
const mayChange = (view: View | undefined): boolean => !view?.shared || view.owner.isMe;
