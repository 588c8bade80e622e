import { useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { type IssueUpdateInput, UpdateIssue } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { ConfirmDialog } from "../../settings/parts.tsx";
import type { IssueData } from "../issue.tsx";

/**
 * Completion that the server rejected because the team requires proof: the server's message, and the input of the
 * rejected mutation.
 */
export interface RefusedCompletion {
  words: string;
  input: IssueUpdateInput;
}

/** Returns the rejected completion if the error reports a missing proof; undefined for any other error. */
export const findRefusedCompletion = (
  { code, field, message }: ApiError,
  input: IssueUpdateInput,
): RefusedCompletion | undefined =>
  code === "CONFLICT" && field === "overrideProof" ? { words: message, input } : undefined;

interface UnprovenProps {
  issue: IssueData;
  refused: RefusedCompletion;
  done: () => Promise<void>;
}

/** Message about the missing proof. After a confirmation, any signed-in user may complete the issue without proof. */
export function UnprovenNotice({ issue: { id, identifier }, refused: { words, input }, done }: UnprovenProps) {
  const [asking, ask] = useState(false);
  const complete = async () => {
    await requestGraphQL(UpdateIssue, { id, input: { ...input, overrideProof: true } });
    await done();
  };
  return (
    <section class="conflict" role="alert" aria-label="Not completed">
      <p>
        <bdi>{words}</bdi>
      </p>
      <button class="btn" type="button" onClick={() => ask(true)}>
        Complete without proof…
      </button>
      {asking && <ConfirmUnprovenDialog name={identifier} complete={complete} close={() => ask(false)} />}
    </section>
  );
}

interface SureUnprovenProps {
  /** Name of the issues, for example "ENG-1" or "3 issues". */
  name: string;
  /** Messages about the missing proof, one per issue. Empty if the page already shows the messages elsewhere. */
  lacks?: readonly string[];
  complete: () => Promise<void>;
  close: () => void;
}

/** Asks for a confirmation before issues are completed without proof. */
export const ConfirmUnprovenDialog = ({ name, lacks = [], complete, close }: SureUnprovenProps) => (
  <ConfirmDialog
    title={`Complete ${name} without proof?`}
    action="Complete without proof"
    act={complete}
    leave={`Leave ${lacks.length > 1 ? "the issues" : "the issue"} open`}
    close={close}
  >
    {lacks.map((words) => (
      <bdi key={words} class="lacks">
        {words}
      </bdi>
    ))}
    The team requires proof, and the recorded sessions do not contain the proof. The history will show that you
    completed {lacks.length > 1 ? "the issues" : "the issue"} without proof.
  </ConfirmDialog>
);
