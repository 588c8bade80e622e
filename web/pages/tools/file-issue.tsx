import { useState } from "preact/hooks";
import { FileFailure, FilingTitle, Teams, type TeamsQuery } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { navigate } from "../../shell/router.ts";
import type { FailureGroup } from "./tool.tsx";

interface FileIssueProps {
  group: Pick<FailureGroup, "count" | "eventId">;
  close: () => void;
}

/** Files an issue about failures that say the same, with the last of them. */
export function FileIssueDialog({ group, close }: FileIssueProps) {
  const { data } = useQuery(Teams, {});
  return (
    <Dialog title="File an issue" close={close}>
      {data?.teams.nodes.length === 0 ? (
        <p class="mid">An issue belongs to a team, and there is none yet: make one with teamCreate on /graphql.</p>
      ) : (
        <IssueForm group={group} close={close} teams={data?.teams.nodes} />
      )}
    </Dialog>
  );
}

interface IssueFormProps extends FileIssueProps {
  /** Undefined until they are read. */
  teams: TeamsQuery["teams"]["nodes"] | undefined;
}

function IssueForm({ group, close, teams }: IssueFormProps) {
  const title = useQuery(FilingTitle, { id: group.eventId });
  // The proposed title may arrive after somebody began to write one.
  const [typed, setTyped] = useState<string>();
  const { busy, error, send } = useSending();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const filed = file({ teamId: String(form.get("team")), title: String(form.get("title")) }, group);
    send(
      filed.then((url) => {
        close();
        navigate(new URL(url).pathname);
      }),
    );
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label class="field">
        Team
        <select class="in" name="team" required>
          {teams?.map(({ id, key, name }) => (
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
        The issue quotes {group.count > 1 ? `the latest of the ${group.count} failures` : "the failure"}: its arguments
        and result, with a link to its session.
      </p>
      <Problem words={error} />
      <button class="btn pri" type="submit" disabled={busy || !teams || !title.data} aria-busy={busy}>
        File
      </button>
    </form>
  );
}

async function file(input: { teamId: string; title: string }, { eventId }: FileIssueProps["group"]): Promise<string> {
  const { issueCreateFromFailure } = await request(FileFailure, { input: { ...input, eventId } });
  return issueCreateFromFailure.issue?.url ?? "/issues";
}
