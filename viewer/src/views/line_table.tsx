// A table of the program's lines: what each cost, one row a line. Its columns are data; by those with a value it can be
// ordered.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count, percent } from "../data/format";
import { kNone } from "../data/model";
import { css } from "../draw/colours";
import type { Store } from "../state/store";

export interface LineColumn<Row> {
  head: ComponentChildren;
  why?: string; // hovering over the head
  order?: { by: string; value: (row: Row) => number }; // a click on the head orders by it, the largest first
  metric?: string; // its key, where the column is a metric's
  cell: (row: Row) => ComponentChildren;
  look?: (row: Row) => string; // class of the cell
  hover?: (row: Row) => string;
}

interface Table<Row> {
  rows: Row[];
  what: string; // head of the names
  name: (row: Row) => ComponentChildren;
  hover: (row: Row) => string;
  columns: LineColumn<Row>[];
  mark: string; // data-MARK of a row: its key
  keyOf: (row: Row) => number;
  isOn: (row: Row) => boolean;
  onPick: (row: Row) => void;
  canPick?: (row: Row) => boolean; // where not every row can be
  most?: number; // rows at first
  order?: string; // that the rows are in
  onOrder?: (by: string) => void;
}

export function inOrder<Row>(rows: Row[], columns: LineColumn<Row>[], by: string): Row[] {
  const value = columns.find((c) => c.order?.by === by)?.order?.value;
  return value ? [...rows].sort((a, b) => value(b) - value(a)) : rows;
}

function Head<Row>({ column, order, onOrder }: { column: LineColumn<Row> } & Pick<Table<Row>, "order" | "onOrder">) {
  const { head, why, metric } = column;
  const by = column.order?.by;
  if (by === undefined)
    return (
      <th class="number" title={why}>
        {head}
      </th>
    );
  return (
    <th class={`number ${order === by ? "on" : ""}`} title={`${why}\nClick: order by it`}>
      <button class={`link ${metric ? "term" : ""}`} data-metric={metric} onClick={() => onOrder?.(by)}>
        {head}
      </button>
    </th>
  );
}

export function LineTable<Row>({ rows, columns, most = Infinity, order, onOrder, ...table }: Table<Row>) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, most);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>{table.what}</th>
            {columns.map((c, k) => (
              <Head key={k} column={c} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr
              key={table.keyOf(row)}
              class={table.isOn(row) ? "on" : table.canPick?.(row) === false ? "still" : ""}
              title={table.hover(row)}
              onClick={() => {
                if (table.canPick?.(row) !== false) table.onPick(row);
              }}
              {...{ [`data-${table.mark}`]: table.keyOf(row) }}
            >
              <td>{table.name(row)}</td>
              {columns.map((c, k) => (
                <td key={k} class={`number ${c.look?.(row) ?? ""}`} title={c.hover?.(row)}>
                  {c.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && (
        <button class="link" onClick={() => setAll(true)}>
          showing {most} of {count(rows.length)}: show all
        </button>
      )}
    </>
  );
}

// A line by its place, with the colour of its grains.
export function LineName({ store, source, what }: { store: Store; source: number; what?: string }) {
  const { model, colours } = store;
  return (
    <>
      <b>
        <i style={{ background: css(colours.ofSource(source)) }} />
        {model.placeOf(source)}
      </b>{" "}
      <span class="faint">{(source === kNone ? "" : model.whatOf(source)) || what}</span>
    </>
  );
}

// What a line is of the whole, with a bar below it.
export function Part({ part, whole }: { part: number; whole: number }) {
  return (
    <>
      <u style={{ width: `${(100 * part) / Math.max(1, whole)}%` }} />
      {percent(part, whole)}
    </>
  );
}
