import { useRef, useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { UpdateIssue } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import type { IssueData } from "../issue.tsx";

/**
 * State of an edit of the title or the description, and functions that save or discard the edit. A save fails if the
 * issue was changed after the edit began.
 */
export interface TextSaveState {
  busy: boolean;
  error: string;
  /** True after another user has changed the issue. The page then shows both texts. */
  conflict: boolean;
  begin: () => void;
  save: (text: string) => void;
  /** Overwrites the current version. */
  replace: () => void;
  /** Discards the edit and keeps the other user's text. */
  leave: () => void;
}

/** Saves the title or the description of an issue. Calls `done` after the save, or when the user discards the edit. */
export function useTextSave(
  { id, updatedAt }: IssueData,
  field: "title" | "description",
  reload: () => Promise<void>,
  done: () => void,
): TextSaveState {
  const [state, setState] = useState({ busy: false, error: "", conflict: false });
  const began = useRef(updatedAt);
  const wanted = useRef("");
  const send = async (since: string) => {
    setState({ busy: true, error: "", conflict: false });
    try {
      await requestGraphQL(UpdateIssue, { id, input: { [field]: wanted.current, updatedAt: since } });
      await reload();
      setState({ busy: false, error: "", conflict: false });
      done();
    } catch (error) {
      const conflict = (error as ApiError).code === "CONFLICT";
      if (conflict) await reload();
      setState({ busy: false, error: (error as Error).message, conflict });
    }
  };
  return {
    ...state,
    begin: () => {
      began.current = updatedAt;
      setState({ busy: false, error: "", conflict: false });
    },
    save: (text) => {
      wanted.current = text;
      void send(began.current);
    },
    replace: () => {
      began.current = updatedAt;
      void send(updatedAt);
    },
    leave: done,
  };
}
