// Source text as it was when the page was made: a few lines around one, or a file's pieces.
import { kNone } from "../data/model";
import type { SourceFile } from "../data/page";
import type { Store } from "../state/store";

interface Line {
  number: number;
  text: string;
}

function linesOf(file: SourceFile, from: number, to: number): Line[] {
  const out: Line[] = [];
  for (const piece of file.pieces)
    for (let n = Math.max(from, piece.first); n <= Math.min(to, piece.first + piece.lines.length - 1); n++)
      out.push({ number: n, text: piece.lines[n - piece.first] });
  return out;
}

// Why there is no text of a source, or why to distrust it.
export function NoteOf({ store, source }: { store: Store; source: number }) {
  const { meta, sources } = store.model;
  if (!meta.files) return <p class="note">Source text was left out of this page (--no-source).</p>;
  const note = source === kNone ? undefined : sources[source].note;
  return note ? <p class="note">{note}</p> : null;
}

export function SourceLines({ store, source, around }: { store: Store; source: number; around: number }) {
  const { meta, sources } = store.model;
  const s = sources[source];
  const file = s.text === undefined ? null : meta.files?.[s.text];
  return (
    <>
      {file && (
        <pre class="code">
          {linesOf(file, s.line - around, s.line + around).map((l) => (
            <div key={l.number} class={l.number === s.line ? "cited" : ""}>
              <span>{l.number}</span>
              {l.text || " "}
            </div>
          ))}
        </pre>
      )}
      <NoteOf store={store} source={source} />
    </>
  );
}
