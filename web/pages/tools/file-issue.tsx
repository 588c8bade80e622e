import { useState } from "preact/hooks";
import { FileFailure, FilingTitle, Teams } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { navigate } from "../../shell/router.ts";
import type { FailureGroup } from "./tool.tsx";

interface FileIssueProps {
  group: Pick<FailureGroup, "count" | "eventId">;
  close: () => void;
}

/** Files an issue about failures that say the same, with the last of them. */
export function FileIssueDialog({ group, close }: FileIssueProps) {
  const teams = useQuery(Teams, {});
  const title = useQuery(FilingTitle, { id: group.eventId });
  // The proposed title may arrive after somebody began to write one.
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const list = teams.data?.teams.nodes ?? [];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    file({ teamId: String(form.get("team")), title: String(form.get("title")) }, group)
      .then((url) => {
        close();
        navigate(new URL(url).pathname);
      })
      .catch((failure: Error) => setError(failure.message))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title="File an issue" close={close}>
      {teams.data && list.length === 0 ? (
        <p class="mid">An issue belongs to a team, and there is none yet: make one with teamCreate on /graphql.</p>
      ) : (
        <form class="stack" onSubmit={submit}>
          <label class="field">
            Team
            <select class="in" name="team" required>
              {list.map(({ id, key, name }) => (
                <option key={id} value={id}>
                  {key} · {name}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            Title
            <input
              class="in"
              name="title"
              required
              maxLength={512}
              value={typed ?? title.data?.recordedEvent.failureTitle ?? ""}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
          <p class="hint">
            The issue quotes {group.count > 1 ? `the latest of the ${group.count} failures` : "the failure"}: its
            arguments and result, with a link to its session.
          </p>
          {error && (
            <p class="err" role="alert">
              {error}
            </p>
          )}
          <button class="btn pri" type="submit" disabled={busy || !teams.data || !title.data} aria-busy={busy}>
            File
          </button>
        </form>
      )}
    </Dialog>
  );
}

async function file(input: { teamId: string; title: string }, { eventId }: FileIssueProps["group"]): Promise<string> {
  const { issueCreateFromFailure } = await request(FileFailure, { input: { ...input, eventId } });
  return issueCreateFromFailure.issue?.url ?? "/issues";
}
