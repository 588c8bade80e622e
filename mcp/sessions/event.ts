/** An event as the documents about sessions ask for it. */
export interface EventNode {
  id: string;
  parentId: string | null;
  primitiveName: string;
  primitiveType: string | null;
  /** turn, tool, llm, subagent or other. */
  kind: string;
  open: boolean;
  args: string;
  result: string;
  success: boolean;
  /** The group of a failure: those that say the same. */
  failureGroupId: string | null;
  /** ms */
  latency: number | null;
  timestamp: string;
  orphan: boolean;
  checkpoints: CheckpointNode[];
}

/** A named milestone inside a tool call. */
export interface CheckpointNode {
  name: string;
  /** ms since the first milestone, and since the one before. */
  offset: number;
  delta: number;
  /** The share of the whole, 0 to 1. */
  share: number;
}

/** An event with those it triggered. */
export interface EventTree extends EventNode {
  children: EventTree[];
}

/** An event with those below it that failed, or led to one that did; nothing where none did. */
export function failedIn(tree: EventTree): EventTree[] {
  const children = tree.children.flatMap(failedIn);
  return !tree.success || children.length > 0 ? [{ ...tree, children }] : [];
}

/** The turns of a session, each with what hangs on it; events whose parent is not among them stand at the root. */
export function toTrees(events: EventNode[]): EventTree[] {
  const trees = new Map(events.map((event) => [event.id, { ...event, children: [] as EventTree[] }]));
  const roots: EventTree[] = [];
  for (const tree of trees.values()) {
    const parent = tree.parentId !== null && !tree.orphan ? trees.get(tree.parentId) : undefined;
    (parent ? parent.children : roots).push(tree);
  }
  return roots;
}
