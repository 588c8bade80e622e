import { useState } from "preact/hooks";
import { removeAnsi } from "./ansi.ts";
import { Picture, parsePicture } from "./picture.tsx";
import { RedactedText } from "./redacted.tsx";

/** Number of members of an object that are shown first. A button shows the remaining members. */
const MOST = 100;

/** Collapsible tree of a JSON value. Collapsed parts are not rendered, so a large value costs little. */
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

/**
 * String in a JSON value. A string with several lines keeps the line breaks, and an encoded picture is shown as a
 * picture.
 */
function Words({ text }: { text: string }) {
  const picture = parsePicture(text);
  if (picture) return <Picture {...picture} />;
  const lines = text.includes("\n");
  return (
    <bdi class={lines ? "s lines" : "s"}>
      <RedactedText text={lines ? removeAnsi(text) : JSON.stringify(text)} />
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
