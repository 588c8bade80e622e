import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import type { ChangedFileFragment } from "../../../data/documents.ts";
import { type FileEdit, isEditOfFile, parseEdits } from "../../../parts/texts/edits.ts";
import type { EventTree, SessionEvent } from "../events.ts";
import type { SessionData } from "../readings.ts";
import { readEventContent } from "../transcript/texts.ts";

/** Change of a file, and the call that made the change. */
export interface FileChange {
  event: SessionEvent;
  edit: FileEdit;
}

/**
 * Names of tools that may change a file. A call of a shell tool counts as a change only if the command contains
 * `apply_patch`.
 */
const EDITS = /edit|write|patch|replace|create|insert/i;
/** Maximum number of calls read per file, and of characters per call. */
const MOST = 100;
const LONGEST = 200_000;

/** Reads the changes of a file from the arguments of the recorded tool calls, oldest first. */
export function useFileChanges({ id, metadata }: SessionData, tree: EventTree, file: ChangedFileFragment) {
  const [read, setRead] = useState<{ path: string; changes: readonly FileChange[] }>();
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
): Promise<FileChange[]> {
  const [from, to] = [Date.parse(file.createdAt), Date.parse(file.updatedAt)];
  const calls = all
    .filter(({ kind, failed, open, at }) => kind === "tool" && !failed && !open && at >= from && at <= to)
    .filter(({ name, brief }) => EDITS.test(name) || brief.includes("apply_patch"))
    .slice(0, MOST);
  const texts = await readEventContent(
    sessionId,
    calls.map(({ id }) => id),
    LONGEST,
  );
  return calls.flatMap((event) =>
    parseEdits(texts.get(event.id)?.args ?? "").flatMap((edit) =>
      isEditOfFile(edit, file.path, folder) ? [{ event, edit }] : [],
    ),
  );
}
