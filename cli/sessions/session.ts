import { isUuid } from "../../formats/uuid.ts";
import { SESSION } from "../api/documents.ts";
import { EXIT, Failure } from "../failure.ts";
import { oneLine } from "../output/print.ts";
import type { Worker } from "../work/caller.ts";

/** A recorded session, as the documents ask for it. */
export interface SessionNode {
  id: string;
  externalId: string | null;
  startedAt: string;
  source: string | null;
  clientConfig: string | null;
  state: string;
  stateSince: string;
  waitsFor: string | null;
  user: { id: string } | null;
  totals: {
    events: number;
    failures: number;
    inputTokens: number;
    outputTokens: number;
    cost: number | null;
    costSource: string;
    models?: string[];
  };
  brief: { agent: string | null; message: string | null; endedAt: string | null; open: boolean };
}

/** One that was asked for by its id: with the files that it changed, the latest first, and its newest commits. */
export interface WholeNode extends SessionNode {
  files: { nodes: { path: string; added: number; removed: number; edits: number }[] };
  commits: { nodes: { id: string; message: string; branch: string | null; createdAt: string }[] };
}

/** A recorded session as JSON. Part of the interface: docs/cli.md. */
export const sessionRow = ({
  id,
  externalId,
  startedAt,
  source,
  clientConfig,
  user,
  totals,
  brief,
  ...now
}: SessionNode) => ({
  id,
  externalId,
  agent: brief.agent,
  source: source ?? clientConfig,
  user: user?.id ?? null,
  started: startedAt,
  ended: brief.endedAt,
  open: brief.open,
  state: now.state,
  stateSince: now.stateSince,
  waitsFor: now.waitsFor,
  events: totals.events,
  failures: totals.failures,
  inputTokens: totals.inputTokens,
  outputTokens: totals.outputTokens,
  cost: totals.cost,
  costSource: totals.costSource,
  ...(totals.models && { models: totals.models }),
  message: brief.message,
});

/** A recorded session in one line. */
export function sessionLine(node: SessionNode): string {
  const { id, agent, source, user, started, state, waitsFor, events, failures, cost, costSource, message } =
    sessionRow(node);
  const parts = [
    `${id} ${started.slice(0, 19)}Z`,
    oneLine(agent ?? source ?? "-", 40),
    user && `@${oneLine(user, 40)}`,
    events === 1 ? "1 event" : `${events} events`,
    failures > 0 && `${failures} FAILED`,
    state !== "idle" && state !== "ended" && state,
    waitsFor && `asks "${oneLine(waitsFor, 80)}"`,
    cost && `${costSource === "computed" ? "~" : ""}$${cost.toFixed(2)}`,
    message && `"${oneLine(message, 80)}"`,
  ];
  return parts.filter(Boolean).join(" ");
}

/** Such a session as JSON. */
export const wholeRow = (node: WholeNode) => ({
  ...sessionRow(node),
  files: node.files.nodes,
  commits: node.commits.nodes.map(({ createdAt, ...commit }) => ({ ...commit, at: createdAt })),
});

/** Files and commits that a terminal shows of each. */
const SHOWN = 10;

/** The files and commits of a session, a line each. */
export const changeLines = ({ files, commits }: WholeNode): string[] => [
  ...files.nodes
    .slice(0, SHOWN)
    .map(({ path, added, removed }) => `  changed ${oneLine(path, 120)} +${added} -${removed}`),
  ...commits.nodes.slice(0, SHOWN).map(({ id, message }) => `  committed ${oneLine(id, 40)} ${oneLine(message, 80)}`),
];

/** The session of an id, or of the spelling that its agent has for it. */
export async function sessionOf({ ask }: Worker, text: string): Promise<WholeNode> {
  const none = () =>
    new Failure(`There is no session ${text}.`, { exit: EXIT.notFound, cure: "trackway sessions, for their ids" });
  const id = isUuid(text) ? text : await byExternalId({ ask } as Worker, text);
  if (!id) throw none();
  const asked = ask<{ recordedSession: WholeNode }>(SESSION.get, { id });
  return (
    await asked.catch((error) => {
      throw error instanceof Failure && error.exit === EXIT.notFound ? none() : error;
    })
  ).recordedSession;
}

async function byExternalId({ ask }: Worker, text: string): Promise<string | undefined> {
  const filter = { externalId: { eq: text } };
  const { recordedSessions } = await ask<{ recordedSessions: { nodes: SessionNode[] } }>(SESSION.list, {
    filter,
    first: 1,
  });
  return recordedSessions.nodes[0]?.id;
}
