import type { ComponentChildren } from "preact";
import { CostText } from "../../../parts/cost.tsx";
import { CollapsibleSection } from "../../../parts/fold.tsx";
import { EditDiff } from "../../../parts/texts/diff.tsx";
import { parseEdits } from "../../../parts/texts/edits.ts";
import { formatCount, formatDuration, formatExactTime } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import type { FullEvent } from "./full-event.ts";
import { EventValue } from "./value.tsx";

interface BodyProps {
  full: FullEvent;
  most: number;
  loading: boolean;
  whole: () => void;
}

/** Model, tokens and cost of an event, and the rules that redacted text. */
function Usage({ full }: { full: FullEvent }) {
  const taken = Object.entries((full.redacted ?? {}) as Record<string, number>);
  const { model, inputTokens, outputTokens, cacheReadTokens, cost, costSource, errorMessage } = full;
  const cached = cacheReadTokens ? `, ${formatCount(cacheReadTokens)} cached` : "";
  const rows: [string, ComponentChildren][] = [
    ["Model", model],
    [
      "Tokens",
      inputTokens === null ? null : `${formatCount(inputTokens)} → ${formatCount(outputTokens ?? 0)}${cached}`,
    ],
    ["Cost", cost === null ? null : <CostText key="cost" cost={cost} costSource={costSource} />],
    ["Error", errorMessage],
    ["Redacted", taken.map(([rule, n]) => (n > 1 ? `${rule} (${n})` : rule)).join(", ")],
  ];
  const present = rows.filter(([, value]) => value);
  return present.length === 0 ? null : (
    <dl class="kv">
      {present.map(([name, value]) => (
        <div key={name} class="contents">
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Arguments, result and metadata of an event. */
export function EventBody({ full, most, loading, whole }: BodyProps) {
  const edits = full.args.length <= most ? parseEdits(full.args) : [];
  const value = (title: string, text: string) => (
    <EventValue
      key={title}
      title={title}
      text={text.slice(0, most)}
      cut={text.length > most}
      loading={loading}
      failed={!full.success && title === "Result"}
      ofModel={full.kind === "llm"}
      whole={whole}
    />
  );
  const [args, result] = [value("Arguments", full.args), value("Result", full.result)];
  return (
    <>
      <Usage full={full} />
      {edits.length > 0 && (
        <CollapsibleSection title="Change" detail={edits[0]?.file ?? ""}>
          {edits.map((edit, at) => (
            <EditDiff key={at} edit={edit} number={at + 1} />
          ))}
        </CollapsibleSection>
      )}
      {full.checkpoints.length > 0 && <Checkpoints full={full} />}
      {/* The result of a failed event comes first, because the result contains the error. */}
      {full.success ? [args, result] : [result, args]}
      {full.metadata && Object.keys(full.metadata).length > 0 && (
        <CollapsibleSection title="Metadata" open={false}>
          <div class="js">
            <JsonTree value={full.metadata} open={2} />
          </div>
        </CollapsibleSection>
      )}
    </>
  );
}

const Checkpoints = ({ full }: { full: FullEvent }) => (
  <CollapsibleSection title="Checkpoints" detail={String(full.checkpoints.length)}>
    <table class="steps">
      <thead>
        <tr>
          <th>Checkpoint</th>
          <th class="num">Time from start</th>
          <th class="num">Duration</th>
          <th class="num">Share</th>
        </tr>
      </thead>
      <tbody>
        {full.checkpoints.map(({ name, at, offset: after, delta, share }) => (
          <tr key={name}>
            <td title={formatExactTime(at)}>
              <bdi>{name}</bdi>
            </td>
            <td class="num mono">{formatDuration(after)}</td>
            <td class="num mono">{formatDuration(delta)}</td>
            <td class="num">
              <span class="meter" aria-hidden="true">
                <i style={{ "--v": share * 100 }} />
              </span>{" "}
              <span class="mono">{Math.round(share * 100)} %</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </CollapsibleSection>
);
