import type { CheckpointNode, EventTree } from "./session.ts";

/**
 * Lengths, in characters, to which each text is shortened. The renderer uses the first length with which the whole
 * result fits into the limit.
 */
const EXCERPT_LENGTHS = [400, 160, 80, 40];

/** Maximum length of the result in characters: about 3,000 tokens. */
const MAX_CHARACTERS = 12_000;

interface Rendered {
  text: string;
  /** Number of trees in the text. */
  shown: number;
}

/**
 * Renders turns as an indented tree with prompts, replies, calls, durations, failures and checkpoints. Shortens texts
 * until the tree fits into the limit, then omits later turns. Failed events show their id; events with shortened texts
 * show their id only while texts keep at least 160 characters.
 */
export function renderTrees(trees: EventTree[]): Rendered {
  for (const excerpt of EXCERPT_LENGTHS) {
    const text = trees.map((tree) => renderTurn(tree, excerpt)).join("\n");
    if (text.length <= MAX_CHARACTERS) return { text, shown: trees.length };
  }
  const shortest = EXCERPT_LENGTHS.at(-1) ?? 40;
  let text = "";
  let shown = 0;
  for (const tree of trees) {
    const next = renderTurn(tree, shortest);
    if (shown > 0 && text.length + next.length > MAX_CHARACTERS) break;
    text += (shown > 0 ? "\n" : "") + next;
    shown += 1;
  }
  return { text: text.slice(0, 3 * MAX_CHARACTERS), shown };
}

function renderTurn(turn: EventTree, excerpt: number): string {
  const lines = [
    `  user: ${oneLine(turn.args, excerpt)}`,
    ...turn.children.map((child) => renderCall(child, excerpt, 1)),
    `  reply: ${oneLine(turn.result, excerpt)}`,
  ];
  if (turn.kind !== "turn") return renderCall(turn, excerpt, 0);
  return [`${head(turn, excerpt)} at ${turn.timestamp.slice(0, 19)}Z`, ...lines].join("\n");
}

function renderCall(call: EventTree, excerpt: number, depth: number): string {
  const indent = "  ".repeat(depth);
  const line = `${indent}${head(call, excerpt)} ${oneLine(call.args, excerpt)} → ${oneLine(call.result, excerpt)}`;
  const milestones = call.checkpoints.length > 0 ? [`${indent}  ${call.checkpoints.map(milestone).join(", ")}`] : [];
  return [line, ...milestones, ...call.children.map((child) => renderCall(child, excerpt, depth + 1))].join("\n");
}

function head(event: EventTree, excerpt: number): string {
  const { primitiveName, success, open, latency, orphan, id, args, result } = event;
  // Shows the id of an event with shortened text only while texts are long, because an id costs as many tokens as 80
  // characters of text. A failed event always shows its id.
  const more = !success || (excerpt >= 160 && (args.length > excerpt || result.length > excerpt));
  const parts = [
    success ? "" : "FAILED ",
    primitiveName,
    latency === null ? "" : ` ${latency} ms`,
    open ? " (open)" : "",
    orphan ? " (its parent is missing)" : "",
    more ? ` [${id}]` : "",
  ];
  return parts.join("");
}

const milestone = ({ name, offset, delta, share }: CheckpointNode) =>
  `${name} +${offset} ms${delta > 0 ? ` (${delta} ms, ${Math.round(share * 100)} %)` : ""}`;

function oneLine(text: string, most: number): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most)}…` : flat;
}
