import { useState } from "preact/hooks";
import { bytes } from "./format.ts";

/** A picture within a text: its base64, its type by its first bytes, and its size in bytes. */
interface PictureData {
  type: string;
  base64: string;
  size: number;
}

/** Larger pictures are not shown. */
const LARGEST = 1_048_576;
/** Fewer characters hold no picture. */
const SHORTEST = 60;

/** The first bytes of each type that is shown, as Latin-1; a dot stands for any. */
const TYPES: [type: string, begin: string][] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF....WEBP"],
];
/** The same bytes as base64 begins with, wherever it stands in a text. */
const BEGINS = /(?:^|["',])(?:iVBORw0KGgo|\/9j\/|R0lGOD[dl]h|UklGR)/;

/** True if a text seems to hold a picture: it has to be read whole to be shown. */
export const mayHoldPicture = (text: string): boolean => BEGINS.test(text);

/** The picture that a text is: base64, or an address of the sort `data:`. What it calls itself does not count. */
export function pictureOf(text: string): PictureData | undefined {
  if (text.length < SHORTEST) return undefined;
  const base64 = text.replace(/^data:[^,]{0,100};base64,/, "");
  const type = typeOf(base64);
  if (!type || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(base64)) return undefined;
  return { type, base64, size: Math.floor((base64.length * 3) / 4) };
}

function typeOf(base64: string): string | undefined {
  try {
    const first = atob(base64.slice(0, 24));
    const fits = (begin: string) => [...begin].every((sign, at) => sign === "." || sign === first[at]);
    return TYPES.find(([, begin]) => fits(begin))?.[0];
  } catch {
    return undefined;
  }
}

/** A recorded picture; one that is too large, or broken, is said instead. */
export function Picture({ type, base64, size }: PictureData) {
  const [broken, setBroken] = useState(false);
  const about = `${type}, ${bytes(size)}`;
  if (size > LARGEST) return <span class="dim">A picture ({about}), too large to be shown</span>;
  if (broken) return <span class="dim">A picture ({about}) that cannot be shown</span>;
  return (
    <figure class="picture">
      <img
        src={`data:${type};base64,${base64}`}
        alt="Recorded by the agent"
        decoding="async"
        onError={() => setBroken(true)}
      />
      <figcaption class="dim">{about}</figcaption>
    </figure>
  );
}
