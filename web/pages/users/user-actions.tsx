import { useState } from "preact/hooks";
import { DeleteUser, UserExport } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { toast } from "../../parts/toast.tsx";
import { navigate } from "../../shell/router.ts";
import { download } from "../session/export/export.ts";
import { Sure } from "../settings/parts.tsx";

/** The actions of owners: to save all that is held of a recorded user, and to delete them. */
export const UserActions = ({ id }: { id: string }) => (
  <>
    <Export id={id} />
    <Delete id={id} />
  </>
);

/** Bytes of an export that the browser gathers. */
const MOST_BYTES = 512 * 1024 * 1024;

function Export({ id }: { id: string }) {
  const [pages, setPages] = useState<number>();
  const save = async () => {
    try {
      download(`user-${fileNameOf(id)}.jsonl`, ...(await readAll(id, setPages)));
    } catch (error) {
      toast((error as Error).message);
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

/** Every line, a page after the other. @throws Error for more than a browser should gather */
async function readAll(id: string, onPage: (page: number) => void): Promise<Blob[]> {
  const parts: Blob[] = [];
  let bytes = 0;
  for (let after: string | null | undefined; after !== null; ) {
    onPage(parts.length + 1);
    const { recordedUserExport } = await request(UserExport, { id, after });
    const part = new Blob(recordedUserExport.lines.map((line) => `${line}\n`));
    bytes += part.size;
    if (bytes > MOST_BYTES) throw new Error("This is too much for a browser: page through recordedUserExport.");
    parts.push(part);
    after = recordedUserExport.endCursor;
  }
  return parts;
}

const fileNameOf = (id: string): string => id.replace(/[^\p{L}\p{N}@.-]/gu, "_").slice(0, 100);

/** Deletes the user for good, once that was confirmed. */
function Delete({ id }: { id: string }) {
  const [asked, ask] = useState(false);
  const act = async () => {
    await request(DeleteUser, { id });
    navigate("/users");
    toast("The user is deleted.");
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => ask(true)}>
        Delete
      </button>
      {asked && (
        <Sure title="Delete this user?" action="Delete for good" act={act} close={() => ask(false)}>
          The user goes for good, with all sessions, their events, texts and counts, and what arrives for them later is
          refused. Issues that were filed from the sessions keep their text.
        </Sure>
      )}
    </>
  );
}
