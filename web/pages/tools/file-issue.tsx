import { useState } from "preact/hooks";
import { FileFailure, FilingTitle, Teams, type TeamsQuery } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { navigate } from "../../shell/router.ts";
import type { ToolFailureGroup } from "./tool.tsx";

interface FileIssueProps {
  group: Pick<ToolFailureGroup, "count" | "eventId">;
  close: () => void;
}

/** Dialog that creates an issue about failures with the same message, with the latest failure as example. */
export function FileIssueDialog({ group, close }: FileIssueProps) {
  const { data } = useQuery(Teams, {});
  return (
    <Dialog title="File an issue" close={close}>
      {data?.teams.nodes.length === 0 ? (
        <p class="mid">
          An issue needs a team, and there is no team yet. Press C to open the form for a new issue, and create a team
          there.
        </p>
      ) : (
        <IssueForm group={group} close={close} teams={data?.teams.nodes} />
      )}
    </Dialog>
  );
}

interface IssueFormProps extends FileIssueProps {
  /** Undefined until the teams are read. */
  teams: TeamsQuery["teams"]["nodes"] | undefined;
}

function IssueForm({ group, close, teams }: IssueFormProps) {
  const title = useQuery(FilingTitle, { id: group.eventId });
  // Title that the user typed; undefined until the user types. The suggested title may arrive later and must not
  // replace the typed title.
  const [typed, setTyped] = useState<string>();
  const { busy, error, send } = useRequest();
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
        The issue quotes the arguments and the result of{" "}
        {group.count > 1 ? `the latest of the ${group.count} failures` : "the failure"}, with a link to the session.
      </p>
      <ErrorNote words={error} />
      <button class="btn pri" type="submit" disabled={busy || !teams || !title.data} aria-busy={busy}>
        File issue
      </button>
    </form>
  );
}

async function file(input: { teamId: string; title: string }, { eventId }: FileIssueProps["group"]): Promise<string> {
  const { issueCreateFromFailure } = await requestGraphQL(FileFailure, { input: { ...input, eventId } });
  return issueCreateFromFailure.issue?.url ?? "/issues";
}
