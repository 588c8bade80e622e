import { conflict, inputError, invalidFieldsError } from "../../errors.ts";
import { type ChangeOptions, createRow, deleteRow, updateRow } from "../../write/change.ts";
import { findRow, findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { proofCommandsSchema, type TeamProof } from "./input.ts";
import { judgeRecord, type ProofRules, type Verdict } from "./proof.ts";
import { readRecord } from "./record.ts";

/** Options for the proof of a completion. */
export interface ProofOptions {
  /** Commands that must have succeeded, in addition to the commands that the team demands. */
  proofCommands?: readonly string[] | null | undefined;
  /** Completes the issue without proof. Only for a user who is signed in. */
  overrideProof?: boolean | null | undefined;
  /** Rejects a completion that is not verified, even if the team does not require proof. */
  requireProof?: boolean | null | undefined;
}

/**
 * Judges the recorded sessions of an issue that is being completed, and stores the verdict. Returns the options of
 * the change.
 * @throws conflict if a required proof is missing and not overridden
 */
export async function proveCompletion(
  write: WriteContext,
  issue: LoadedRow<"Issue">,
  teamId: string,
  { proofCommands: extra, overrideProof, requireProof }: ProofOptions,
): Promise<ChangeOptions> {
  const overrides = overrideProof === true;
  if (overrides) checkSignedIn(write);
  const team = await findRowOrThrow(write, "Team", teamId);
  const { required = false, ...own } = demandsOf(team);
  const rules = { ...own, commands: [...new Set([...own.commands, ...checked(extra)])] };
  const before = await findRow(write, "IssueProof", issue.id);
  if (isEmpty(rules)) {
    if (before) deleteRow(write, "IssueProof", before);
    return {};
  }
  const verdict = judgeRecord(rules, await readRecord(write, issue.id));
  const refused = (required || requireProof === true) && verdict.verdict !== "verified";
  if (refused && !overrides) {
    throw conflict(
      `${issue.identifier} is not proven, and ${required ? "its team requires" : "requireProof requires"} proof: ${verdict.reason} ` +
        "Do the missing steps in a recorded session that is linked to the issue, then complete the issue again. A user can override the refusal.",
      undefined,
      "overrideProof",
    );
  }
  store(write, issue.id, before, verdict, refused ? write.scope.userId : null);
  return refused ? { event: "proofOverridden" } : {};
}

/**
 * Returns the verdict on an issue that is created or imported as completed. The new issue cannot have linked sessions,
 * so the verdict is `unproven`. Returns undefined if the team demands no proof.
 * @throws conflict if the team requires proof
 */
export function judgeNewIssue(team: { proof?: unknown }): Verdict | undefined {
  const { required, ...rules } = demandsOf(team);
  if (isEmpty(rules)) return undefined;
  if (required)
    throw conflict("the team requires proof: create the issue as open, then complete the issue", undefined, "state");
  return {
    verdict: "unproven",
    reason: "The issue was created as completed, so no recorded session is linked to the issue.",
    events: [],
  };
}

/** Stores the verdict of a newly created issue. */
export const storeVerdict = (write: WriteContext, id: string, verdict: Verdict): void =>
  store(write, id, undefined, verdict, null);

const isEmpty = ({ commands, commit, push }: ProofRules): boolean => commands.length === 0 && !commit && !push;

/**
 * Rejects an override by a caller who is not signed in. A caller with a user's key may be an agent, so a key cannot
 * override a proof. A fence does not allow an override either.
 * @throws inputError
 */
function checkSignedIn({ scope }: WriteContext): void {
  const field = "overrideProof";
  if (!scope.signedIn)
    throw inputError(`${field}: only a signed-in user can complete an issue without proof, not a key or an app`, field);
}

function store(
  write: WriteContext,
  id: string,
  before: LoadedRow<"IssueProof"> | undefined,
  verdict: Verdict,
  overriddenById: string | null,
) {
  const { verdict: is, reason, events: eventIds } = verdict;
  const row = { verdict: is, reason: reason.slice(0, 4_000), eventIds, overriddenById };
  if (before) updateRow(write, "IssueProof", before, row);
  else createRow(write, "IssueProof", { id, ...row });
}

function demandsOf({ proof }: { proof?: unknown }): ProofRules & Partial<Pick<TeamProof, "required">> {
  const stored: unknown = typeof proof === "string" ? JSON.parse(proof) : proof;
  return { commands: [], commit: false, push: false, ...(stored as Partial<TeamProof> | null) };
}

function checked(commands: readonly string[] | null | undefined): string[] {
  const result = proofCommandsSchema.safeParse(commands ?? []);
  if (result.success) return result.data;
  const at = ({ path }: { path: PropertyKey[] }) => ["proofCommands", ...path].join(".");
  throw invalidFieldsError(result.error.issues.map((each) => ({ path: at(each), message: each.message })));
}
