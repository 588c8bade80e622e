import { useState } from "preact/hooks";
import { withoutAnsi } from "./ansi.ts";
import { Picture, pictureOf } from "./picture.tsx";
import { Redacted } from "./redacted.tsx";

/** Members of an object that are shown before the rest is asked for. */
const MOST = 100;

/** JSON that folds. What is folded is not made, so that a large value costs nothing. */
export function JsonTree({ value, name, open = 1 }: { value: unknown; name?: string; open?: number }) {
  if (typeof value !== "object" || value === null) {
    return (
      <div>
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  }
  return <Branch value={value} name={name} open={open} />;
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <>
      <bdi class="k">{name}</bdi>
      {": "}
    </>
  );

const Leaf = ({ value }: { value: unknown }) =>
  typeof value === "string" ? <Words text={value} /> : <span class="n">{String(value)}</span>;

/** A string: several lines stand as lines, a picture as itself. */
function Words({ text }: { text: string }) {
  const picture = pictureOf(text);
  if (picture) return <Picture {...picture} />;
  const lines = text.includes("\n");
  return (
    <bdi class={lines ? "s lines" : "s"}>
      <Redacted text={lines ? withoutAnsi(text) : JSON.stringify(text)} />
    </bdi>
  );
}

function Branch({ value, name, open }: { value: object; name: string | undefined; open: number }) {
  const [unfolded, unfold] = useState(open > 0);
  const [most, setMost] = useState(MOST);
  const list = Array.isArray(value);
  const members = Object.entries(value);
  const [begin, end] = list ? ["[", "]"] : ["{", "}"];
  return (
    <details open={unfolded} onToggle={(event) => unfold(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        {begin}
        <span class="more">
          {members.length} {end}
        </span>
      </summary>
      {unfolded && (
        <div>
          {members.slice(0, most).map(([key, member]) => (
            <JsonTree key={key} value={member} {...(!list && { name: key })} open={open - 1} />
          ))}
          {members.length > most && (
            <button class="btn quiet" type="button" onClick={() => setMost(most * 10)}>
              {(members.length - most).toLocaleString()} more
            </button>
          )}
        </div>
      )}
      {end}
    </details>
  );
}
