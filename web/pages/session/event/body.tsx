import type { ComponentChildren } from "preact";
import { Cost } from "../../../parts/cost.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { Diff } from "../../../parts/texts/diff.tsx";
import { editsOf } from "../../../parts/texts/edits.ts";
import { count, duration, exact } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import type { FullEvent } from "./full-event.ts";
import { Value } from "./value.tsx";

interface BodyProps {
  full: FullEvent;
  most: number;
  loading: boolean;
  whole: () => void;
}

/** The model, what it read and wrote, what that cost, and the rules that took something out. */
function Usage({ full }: { full: FullEvent }) {
  const taken = Object.entries((full.redacted ?? {}) as Record<string, number>);
  const { model, inputTokens, outputTokens, cacheReadTokens, cost, costSource, errorMessage } = full;
  const cached = cacheReadTokens ? `, ${count(cacheReadTokens)} cached` : "";
  const rows: [string, ComponentChildren][] = [
    ["Model", model],
    ["Tokens", inputTokens === null ? null : `${count(inputTokens)} → ${count(outputTokens ?? 0)}${cached}`],
    ["Cost", cost === null ? null : <Cost key="cost" cost={cost} costSource={costSource} />],
    ["Error", errorMessage],
    ["Taken out", taken.map(([rule, n]) => (n > 1 ? `${rule} (${n})` : rule)).join(", ")],
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

/** The texts and values of an event. */
export function Body({ full, most, loading, whole }: BodyProps) {
  const edits = full.args.length <= most ? editsOf(full.args) : [];
  const value = (title: string, text: string) => (
    <Value
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
        <Fold title="Change" detail={edits[0]?.file ?? ""}>
          {edits.map((edit, at) => (
            <Diff key={at} edit={edit} number={at + 1} />
          ))}
        </Fold>
      )}
      {full.checkpoints.length > 0 && <Checkpoints full={full} />}
      {/* A failed event's result is read first. */}
      {full.success ? [args, result] : [result, args]}
      {full.metadata && Object.keys(full.metadata).length > 0 && (
        <Fold title="Metadata" open={false}>
          <div class="js">
            <JsonTree value={full.metadata} open={2} />
          </div>
        </Fold>
      )}
    </>
  );
}

const Checkpoints = ({ full }: { full: FullEvent }) => (
  <Fold title="Checkpoints" detail={String(full.checkpoints.length)}>
    <table class="steps">
      <thead>
        <tr>
          <th>Checkpoint</th>
          <th class="num">After</th>
          <th class="num">Took</th>
          <th class="num">Share</th>
        </tr>
      </thead>
      <tbody>
        {full.checkpoints.map(({ name, at, offset: after, delta, share }) => (
          <tr key={name}>
            <td title={exact(at)}>
              <bdi>{name}</bdi>
            </td>
            <td class="num mono">{duration(after)}</td>
            <td class="num mono">{duration(delta)}</td>
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
  </Fold>
);
