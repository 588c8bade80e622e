import { type Caller, graphql } from "../api/graphql.ts";
import { EXIT, Failure } from "../failure.ts";
import { patient } from "../import/send.ts";
import { tell } from "../output/print.ts";
import { DOCUMENTS, type Listed } from "./documents.ts";

/** An entry of a list, as GraphQL answers it. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of each is what its document selects
export type Node = Readonly<Record<string, any>>;

/** A page of a list, or a list without pages. */
interface Answer {
  page: Node[] | { nodes: Node[]; pageInfo: { hasPreviousPage: boolean; startCursor: string | null } };
}

/** Entries a page: as many as their points allow. */
const SIZES: Partial<Record<Listed, number>> = { team: 25, project: 50 };
const SIZE = 200;

/** Every entry of a list from the oldest to the newest, a page at a time. */
export async function* listed(caller: Caller, name: Listed): AsyncGenerator<Node> {
  let size = SIZES[name] ?? SIZE;
  for (let before: string | null = null; ; ) {
    const answer = await asked(caller, name, { last: size, before });
    if (!answer) {
      size = Math.ceil(size / 2);
      continue;
    }
    if (Array.isArray(answer.page)) return yield* answer.page;
    yield* answer.page.nodes.reverse();
    const { hasPreviousPage, startCursor } = answer.page.pageInfo;
    if (!hasPreviousPage) return;
    before = startCursor;
  }
}

/** A page; undefined when it would be larger than an answer may be. */
async function asked(
  caller: Caller,
  name: Listed,
  variables: { last: number; before: string | null },
): Promise<Answer | undefined> {
  try {
    return await patient({ onWait }, () => graphql<Answer>(caller, DOCUMENTS[name], variables));
  } catch (error) {
    if (error instanceof Failure && error.exit === EXIT.usage && variables.last > 1) return undefined;
    throw error;
  }
}

const onWait = (seconds: number) => tell(`The server asks to wait ${seconds} s.`);
