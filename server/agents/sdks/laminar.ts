import type { RecordMeaning, TelemetryConvention } from "../convention.ts";
import { SDK_ATTRIBUTES } from "../conventions/gen-ai.ts";

const KIND = "lmnr.span.type";
const OURS = "lmnr.span.path";
const INPUT = "lmnr.span.input";
const OUTPUT = "lmnr.span.output";

/**
 * Matches input that is not empty. A function without input does not match, because such a function is only a container
 * of inner calls.
 */
const SOMETHING = /^(?!\{\}$|\[\]$)/;
/** Laminar does not set the span's status after an exception, so the exception itself shows the failure. */
const failedBy = ["@event/exception/exception.message"];

const span: RecordMeaning = {
  failedBy,
  name: "@name",
  args: { at: INPUT, as: "json" },
  result: { at: OUTPUT, as: "json" },
};

/** Laminar's own spans. Spans of model calls and frameworks follow other conventions. */
export const laminarConvention: TelemetryConvention = {
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
