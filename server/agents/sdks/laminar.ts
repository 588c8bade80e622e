import type { Convention, Meaning } from "../convention.ts";
import { SDK_ATTRIBUTES } from "../conventions/gen-ai.ts";

const KIND = "lmnr.span.type";
const OURS = "lmnr.span.path";
const INPUT = "lmnr.span.input";
const OUTPUT = "lmnr.span.output";

/** Matches non-empty input. A function without input is only a container of inner calls. */
const SOMETHING = /^(?!\{\}$|\[\]$)/;
/** After an exception, Laminar leaves the span's status unset. */
const failedBy = ["@event/exception/exception.message"];

const span: Meaning = {
  failedBy,
  name: "@name",
  args: { at: INPUT, as: "json" },
  result: { at: OUTPUT, as: "json" },
};

/** Laminar's own spans. Spans of model calls and frameworks follow other conventions. */
export const laminar: Convention = {
  name: "Laminar",
  sessionId: [...SDK_ATTRIBUTES.session, "session.id"],
  userId: [...SDK_ATTRIBUTES.user, "user.id"],
  spans: [
    { ...span, where: { [KIND]: /^TOOL$/ }, kind: "tool" },
    {
      where: { [OURS]: true, [INPUT]: SOMETHING },
      root: true,
      kind: "turn",
      failedBy,
      name: "@name",
      args: { at: INPUT, as: "prompt" },
      result: { at: OUTPUT, as: "message" },
      ends: "turn",
    },
    { ...span, where: { [OURS]: true, [INPUT]: SOMETHING }, kind: "other" },
  ],
};
