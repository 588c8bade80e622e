import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import type { ChangedFileFragment } from "../../../data/documents.ts";
import { type Edit, editsOf, isOfFile } from "../../../parts/texts/edits.ts";
import type { EventTree, SessionEvent } from "../events.ts";
import type { Recorded } from "../readings.ts";
import { readTexts } from "../transcript/texts.ts";

/** A change of a file, and the call that made it. */
export interface Change {
  event: SessionEvent;
  edit: Edit;
}

/** Tools that may change a file; one that runs commands does so by `apply_patch` alone. */
const EDITS = /edit|write|patch|replace|create|insert/i;
/** Calls that are read for one file, and characters of each. */
const MOST = 100;
const LONGEST = 200_000;

/** Reads what the recorded calls tell of the changes of a file, oldest first. */
export function useFileChanges({ id, metadata }: Recorded, tree: EventTree, file: ChangedFileFragment) {
  const [read, setRead] = useState<{ path: string; changes: readonly Change[] }>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    let current = true;
    setError(undefined);
    changesOf(id, tree, file, String(metadata["cwd"] ?? "")).then(
      (changes) => current && setRead({ path: file.path, changes }),
      (failure: ApiError) => current && setError(failure),
    );
    return () => {
      current = false;
    };
  }, [file.path, file.updatedAt]);
  return { changes: read && read.path === file.path ? read.changes : undefined, error };
}

async function changesOf(
  sessionId: string,
  { all }: EventTree,
  file: ChangedFileFragment,
  folder: string,
): Promise<Change[]> {
  const [from, to] = [Date.parse(file.createdAt), Date.parse(file.updatedAt)];
  const calls = all
    .filter(({ kind, failed, open, at }) => kind === "tool" && !failed && !open && at >= from && at <= to)
    .filter(({ name, brief }) => EDITS.test(name) || brief.includes("apply_patch"))
    .slice(0, MOST);
  const texts = await readTexts(
    sessionId,
    calls.map(({ id }) => id),
    LONGEST,
  );
  return calls.flatMap((event) =>
    editsOf(texts.get(event.id)?.args ?? "").flatMap((edit) =>
      isOfFile(edit, file.path, folder) ? [{ event, edit }] : [],
    ),
  );
}
