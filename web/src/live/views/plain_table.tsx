import type { ComponentChildren } from 'preact';

/** A column's title; with `number` what stands below it ends at the right. */
export type Head = string | { title: string; number: true };

/** A table as long as its rows, which are its children; it scrolls by itself where the window is too narrow. */
export function PlainTable(props: {
  heads?: readonly Head[];
  class?: string;
  /** What it is, for who does not see where it stands. */
  label?: string;
  children: ComponentChildren;
}) {
  return (
    <div class="scroll-x">
      <table class={`plain ${props.class ?? ''}`} aria-label={props.label}>
        {props.heads && (
          <thead>
            <tr>{props.heads.map(headCell)}</tr>
          </thead>
        )}
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

function headCell(head: Head, at: number) {
  const isNumber = typeof head !== 'string';
  return (
    <th key={at} scope="col" class={isNumber ? 'number' : undefined}>
      {isNumber ? head.title : head}
    </th>
  );
}
