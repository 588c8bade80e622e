import { useState } from "preact/hooks";
import { ChangeView, DeleteView, type IssueFilter, SaveView } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { navigate } from "../../shell/router.ts";
import { buildSavedViewPath, type SavedView, useSavedViews } from "../../shell/saved-views.tsx";
import { ConfirmDialog } from "../settings/parts.tsx";

/** Button that saves the current filter as a view. */
export function SaveViewButton({ filter }: { filter: IssueFilter }) {
  const [open, setOpen] = useState(false);
  const { reload } = useSavedViews();
  const save = async (input: ViewInput) => {
    const { customViewCreate } = await requestGraphQL(SaveView, { input: { ...input, filterData: filter } });
    await reload();
    setOpen(false);
    if (customViewCreate.customView) navigate(buildSavedViewPath(customViewCreate.customView.id));
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

/** Buttons of a view: change the name or the visibility, and delete. */
export function SavedViewActions({ view }: { view: SavedView }) {
  const [open, setOpen] = useState<"change" | "delete">();
  const { reload } = useSavedViews();
  const close = () => setOpen(undefined);
  const change = async (input: ViewInput) => {
    await requestGraphQL(ChangeView, { id: view.id, input });
    await reload();
    close();
  };
  const remove = async () => {
    await requestGraphQL(DeleteView, { id: view.id });
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
        <ConfirmDialog title={`Delete “${view.name}”?`} action="Delete view" act={remove} close={close}>
          {view.shared ? "Trackway deletes the view for all members." : "The view is visible only to you."} The issues
          do not change.
        </ConfirmDialog>
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
  view?: SavedView;
  save: (input: ViewInput) => Promise<void>;
  close: () => void;
}

function ViewDialog({ title, view, save, close }: DialogProps) {
  const { busy, error, send } = useRequest();
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
          Share with all members
        </label>
        <ErrorNote words={error} />
        <button class="btn pri" type="submit" disabled={busy} aria-busy={busy}>
          Save
        </button>
      </form>
    </Dialog>
  );
}

/**
 * Returns true if the user may change the checkbox “Share with all members”. Only the owner of a shared view can make
 * the view private.
 */
const mayChange = (view: SavedView | undefined): boolean => !view?.shared || view.owner.isMe;
