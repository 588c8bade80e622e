import { type IconName, PATHS, SHAPES } from "./icons.tsx";

const isShape = (name: IconName): name is keyof typeof SHAPES => Object.hasOwn(SHAPES, name);

/** A drawing that adds nothing to the page's text. */
export function Icon({ name, class: more = "" }: { name: IconName; class?: string }) {
  const box = name === "mark" ? 20 : 16;
  return (
    <svg class={`i ${more}`} viewBox={`0 0 ${box} ${box}`} aria-hidden="true">
      {isShape(name) ? SHAPES[name]() : <path d={PATHS[name]} />}
    </svg>
  );
}

/** A drawing that one page alone has, which therefore brings its path. */
export const Drawing = ({ d, class: more = "" }: { d: string; class?: string }) => (
  <svg class={`i ${more}`} viewBox="0 0 16 16" aria-hidden="true">
    <path d={d} />
  </svg>
);
