import { useRef, useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { UpdateIssue } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import type { IssueData } from "../issue.tsx";

/** The saving of an edited text: only over the version that the edit began from. */
export interface Saving {
  busy: boolean;
  error: string;
  /** Somebody changed the issue meanwhile: both texts are shown. */
  conflict: boolean;
  begin: () => void;
  save: (text: string) => void;
  /** Saves over the version that is there now. */
  replace: () => void;
  /** Leaves the edit, and keeps what the other wrote. */
  leave: () => void;
}

/** Saves a text of an issue; `done` is called once it is saved, or given up. */
export function useSaving(
  { id, updatedAt }: IssueData,
  field: "title" | "description",
  reload: () => Promise<void>,
  done: () => void,
): Saving {
  const [state, setState] = useState({ busy: false, error: "", conflict: false });
  const began = useRef(updatedAt);
  const wanted = useRef("");
  const send = async (since: string) => {
    setState({ busy: true, error: "", conflict: false });
    try {
      await request(UpdateIssue, { id, input: { [field]: wanted.current, updatedAt: since } });
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
