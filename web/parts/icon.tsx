import { ICON_PATHS, ICON_SHAPES, type IconName } from "./icons.tsx";

const isShape = (name: IconName): name is keyof typeof ICON_SHAPES => Object.hasOwn(ICON_SHAPES, name);

/** Icon that is hidden from screen readers. */
export function Icon({ name, class: more = "" }: { name: IconName; class?: string }) {
  const box = name === "mark" ? 20 : 16;
  return (
    <svg class={`i ${more}`} viewBox={`0 0 ${box} ${box}`} aria-hidden="true">
      {isShape(name) ? ICON_SHAPES[name]() : <path d={ICON_PATHS[name]} />}
    </svg>
  );
}

/** Icon from a path, for icons of a single page. */
export const PathIcon = ({ d, class: more = "" }: { d: string; class?: string }) => (
  <svg class={`i ${more}`} viewBox="0 0 16 16" aria-hidden="true">
    <path d={d} />
  </svg>
);
