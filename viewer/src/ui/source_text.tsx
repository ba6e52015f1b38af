// The cited source lines, with the line that is meant marked.
import type { Source } from "../page";

export function SourceText({ source, included }: { source: Source; included: boolean }) {
  if (!included) return <p class="note">Source text was left out of this page (--no-source).</p>;
  const text = source.text;
  if (!text) return null;
  return (
    <>
      {text.lines.length > 0 && (
        <pre class="code">
          {text.lines.map((line, i) => {
            const number = text.first + i;
            return <div key={number} class={number === source.line ? "cited" : ""}><span>{number}</span>{line || " "}</div>;
          })}
        </pre>
      )}
      {text.note && <p class="note">{text.note}</p>}
    </>
  );
}
