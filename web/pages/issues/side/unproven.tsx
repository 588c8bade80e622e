import { useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { type IssueUpdateInput, UpdateIssue } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { Sure } from "../../settings/parts.tsx";
import type { IssueData } from "../issue.tsx";

/** A completion that the team refuses without a proof: the words of the server, and the change that was wanted. */
export interface Refused {
  words: string;
  input: IssueUpdateInput;
}

/** The refusal, where a proof is what is missing. */
export const refusedOf = ({ code, field, message }: ApiError, input: IssueUpdateInput): Refused | undefined =>
  code === "CONFLICT" && field === "overrideProof" ? { words: message, input } : undefined;

interface UnprovenProps {
  issue: IssueData;
  refused: Refused;
  done: () => Promise<void>;
}

/** Says which proof is missing. Whoever signed in may complete the issue all the same, once they confirmed it. */
export function Unproven({ issue: { id, identifier }, refused: { words, input }, done }: UnprovenProps) {
  const [asking, ask] = useState(false);
  const complete = async () => {
    await request(UpdateIssue, { id, input: { ...input, overrideProof: true } });
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
      {asking && <SureUnproven name={identifier} complete={complete} close={() => ask(false)} />}
    </section>
  );
}

interface SureUnprovenProps {
  /** The issues, for instance "ENG-1" or "3 issues". */
  name: string;
  /** Each one's lack in words, where nothing beside the question says it. */
  lacks?: readonly string[];
  complete: () => Promise<void>;
  close: () => void;
}

/** Asks before issues are completed that are not proven. */
export const SureUnproven = ({ name, lacks = [], complete, close }: SureUnprovenProps) => (
  <Sure
    title={`Complete ${name} without proof?`}
    action="Complete without proof"
    act={complete}
    leave={`Leave ${lacks.length > 1 ? "them" : "it"} open`}
    close={close}
  >
    {lacks.map((words) => (
      <bdi key={words} class="lacks">
        {words}
      </bdi>
    ))}
    The team demands a proof that the record does not hold. The history says that you completed{" "}
    {lacks.length > 1 ? "them" : "it"} without.
  </Sure>
);
