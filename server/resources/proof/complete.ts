import { conflict, inputError, invalidInput } from "../../errors.ts";
import { type ChangeOptions, create, remove, update } from "../../write/change.ts";
import { find, target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { proofCommands, type TeamProof } from "./input.ts";
import { type Rules, type Verdict, verdictOf } from "./proof.ts";
import { recordOf } from "./record.ts";

/** The part of a completion that concerns its proof. */
export interface Proving {
  /** Commands to prove beside those of the team. */
  proofCommands?: readonly string[] | null | undefined;
  /** A person who signed in completes it all the same. */
  overrideProof?: boolean | null | undefined;
  /** Refuses what is not verified, also where the team only shows it. */
  requireProof?: boolean | null | undefined;
}

/**
 * Judges the record of an issue that is being completed, and stores the verdict. Answers how the change is named.
 * @throws conflict where its team demands a proof that is missing, and nobody overrides it
 */
export async function proveCompletion(
  write: Write,
  issue: Found<"Issue">,
  teamId: string,
  { proofCommands: extra, overrideProof, requireProof }: Proving,
): Promise<ChangeOptions> {
  const overrides = overrideProof === true;
  if (overrides) checkSignedIn(write);
  const team = await target(write, "Team", teamId);
  const { required = false, ...own } = demandsOf(team);
  const rules = { ...own, commands: [...new Set([...own.commands, ...checked(extra)])] };
  const before = await find(write, "IssueProof", issue.id);
  if (isEmpty(rules)) {
    if (before) remove(write, "IssueProof", before);
    return {};
  }
  const verdict = verdictOf(rules, await recordOf(write, issue.id));
  const refused = (required || requireProof === true) && verdict.verdict !== "verified";
  if (refused && !overrides) {
    throw conflict(
      `${issue.identifier} is not proven, which ${required ? "its team demands" : "requireProof demands"}: ${verdict.reason} ` +
        "Do what is missing in a recorded session that is linked to the issue, and complete it again; a person may override it.",
      undefined,
      "overrideProof",
    );
  }
  store(write, issue.id, before, verdict, refused ? write.scope.userId : null);
  return refused ? { event: "proofOverridden" } : {};
}

/**
 * Judges an issue that is created or imported as completed: no session can be linked to it. Undefined where its team
 * demands nothing.
 * @throws conflict where its team refuses what is not proven
 */
export function verdictOfNew(team: { proof?: unknown }): Verdict | undefined {
  const { required, ...rules } = demandsOf(team);
  if (isEmpty(rules)) return undefined;
  if (required)
    throw conflict("its team demands a proof: make the issue open, and complete it then", undefined, "state");
  return { verdict: "unproven", reason: "It was made as completed: no recorded session is linked to it.", events: [] };
}

/** Stores the verdict on an issue that was just created. */
export const keepVerdict = (write: Write, id: string, verdict: Verdict): void =>
  store(write, id, undefined, verdict, null);

const isEmpty = ({ commands, commit, push }: Rules): boolean => commands.length === 0 && !commit && !push;

/**
 * Whoever has a key of a person may be an agent that works for them, with a fence or without: a key overrides nothing.
 * @throws inputError
 */
function checkSignedIn({ scope }: Write): void {
  const field = "overrideProof";
  if (!scope.signedIn)
    throw inputError(
      `${field}: only a person who signed in may complete what is not proven, not a key or a program`,
      field,
    );
}

function store(
  write: Write,
  id: string,
  before: Found<"IssueProof"> | undefined,
  verdict: Verdict,
  overriddenById: string | null,
) {
  const { verdict: is, reason, events: eventIds } = verdict;
  const row = { verdict: is, reason: reason.slice(0, 4_000), eventIds, overriddenById };
  if (before) update(write, "IssueProof", before, row);
  else create(write, "IssueProof", { id, ...row });
}

function demandsOf({ proof }: { proof?: unknown }): Rules & Partial<Pick<TeamProof, "required">> {
  const stored: unknown = typeof proof === "string" ? JSON.parse(proof) : proof;
  return { commands: [], commit: false, push: false, ...(stored as Partial<TeamProof> | null) };
}

function checked(commands: readonly string[] | null | undefined): string[] {
  const result = proofCommands.safeParse(commands ?? []);
  if (result.success) return result.data;
  const at = ({ path }: { path: PropertyKey[] }) => ["proofCommands", ...path].join(".");
  throw invalidInput(result.error.issues.map((each) => ({ path: at(each), message: each.message })));
}
