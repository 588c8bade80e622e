import { useState } from "preact/hooks";
import { DeleteUser, UserExport } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { showToast } from "../../parts/toast.tsx";
import { navigate } from "../../shell/router.ts";
import { downloadFile } from "../session/export/export.ts";
import { ConfirmDialog } from "../settings/parts.tsx";

/** Actions of owners: export and delete the data of a recorded user. */
export const UserActions = ({ id }: { id: string }) => (
  <>
    <Export id={id} />
    <Delete id={id} />
  </>
);

/** Maximum size of an export in bytes. The browser collects the whole export in memory. */
const MOST_BYTES = 512 * 1024 * 1024;

function Export({ id }: { id: string }) {
  const [pages, setPages] = useState<number>();
  const save = async () => {
    try {
      downloadFile(`user-${fileNameOf(id)}.jsonl`, ...(await readAll(id, setPages)));
    } catch (error) {
      showToast((error as Error).message);
    }
    setPages(undefined);
  };
  const busy = pages !== undefined;
  return (
    <button class="btn only-wide" type="button" onClick={save} disabled={busy} aria-busy={busy}>
      {busy ? `Export: page ${pages}` : "Export"}
    </button>
  );
}

/** Reads all lines, page by page. @throws Error if the export is too large for a browser */
async function readAll(id: string, onPage: (page: number) => void): Promise<Blob[]> {
  const parts: Blob[] = [];
  let bytes = 0;
  for (let after: string | null | undefined; after !== null; ) {
    onPage(parts.length + 1);
    const { recordedUserExport } = await requestGraphQL(UserExport, { id, after });
    const part = new Blob(recordedUserExport.lines.map((line) => `${line}\n`));
    bytes += part.size;
    if (bytes > MOST_BYTES)
      throw new Error("The export is too large for the browser. Use the GraphQL query recordedUserExport instead.");
    parts.push(part);
    after = recordedUserExport.endCursor;
  }
  return parts;
}

const fileNameOf = (id: string): string => id.replace(/[^\p{L}\p{N}@.-]/gu, "_").slice(0, 100);

/** Button that permanently deletes the user after a confirmation. */
function Delete({ id }: { id: string }) {
  const [asked, ask] = useState(false);
  const act = async () => {
    await requestGraphQL(DeleteUser, { id });
    navigate("/users");
    showToast("User deleted.");
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => ask(true)}>
        Delete
      </button>
      {asked && (
        <ConfirmDialog title="Delete this user?" action="Delete permanently" act={act} close={() => ask(false)}>
          Trackway deletes the user with all sessions, events, content and counts, and rejects events that arrive for
          the user later. You cannot undo this. Issues that were created from the sessions keep their text.
        </ConfirmDialog>
      )}
    </>
  );
}
