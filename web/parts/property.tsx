import type { ComponentChildren } from "preact";

/** Name and value in a list of properties. */
export const PropertyRow = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

interface DayFieldProps {
  label: string;
  /** Day such as 2026-12-04. */
  value: string | null;
  change: (day: string | null) => void;
}

/** Date field for the value of a property. */
export const DayField = ({ label, value, change }: DayFieldProps) => (
  <input
    class="val"
    type="date"
    aria-label={label}
    value={value ?? ""}
    onChange={(event) => change(event.currentTarget.value || null)}
  />
);
