// What einkorn tune tried, in a page that it wrote: each hint with its medians and what was promised of it.

import { many, time } from "../data/format";
import { readTuning, Tried } from "../data/page";

const ns = (seconds: number) => time(1e9 * seconds);
const signed = (percent: number) => {
  const text = Math.abs(percent).toFixed(1);
  return `${text === "0.0" ? "" : percent > 0 ? "+" : "−"}${text} %`;
};

// At most, by the report; or by replays.
function promised(t: Tried): string {
  if (t.predicted_percent) {
    const [low, high] = t.predicted_percent.map(signed);
    return low === high ? low : `${low} to ${high}`;
  }
  return t.promised_seconds ? `≤ ${ns(t.promised_seconds)}` : "–";
}

const joules = (j: number) => `${j < 1000 ? Number(j.toPrecision(3)) : Math.round(j)} J`;

// Two columns: the medians without and with the hint, and by how much they differ.
function Heads({ medians, more, name }: { medians: string; more: string; name: string }) {
  return (
    <>
      <th class="number" title={medians}>
        without, with
      </th>
      <th class="number" title={more}>
        {name}
      </th>
    </>
  );
}
function Cells({ before, after, text }: { before?: number; after?: number; text: (value: number) => string }) {
  return (
    <>
      <td class="number">{before === undefined ? "–" : `${text(before)}, ${text(after!)}`}</td>
      <td class="number">{before === undefined ? "–" : signed(100 * (after! / before - 1))}</td>
    </>
  );
}

export function TuningTable() {
  const tuning = readTuning();
  if (!tuning) return null;
  const byEnergy = tuning.goal === "energy";
  return (
    <section class="sources" id="tuning">
      <h2 title="By einkorn tune: pairs of runs, with and without each hint">Tuned for {tuning.goal}</h2>
      <p>
        {many(tuning.runs, "run")} in {ns(tuning.seconds)}.{" "}
        {tuning.hints_file ? (
          <>
            What was accepted is in <b>{tuning.hints_file}</b>.
          </>
        ) : (
          `No hint${tuning.why ? `: ${tuning.why}` : ""}.`
        )}
        {tuning.stopped && <span class="faint"> Stopped: {tuning.stopped}.</span>}
      </p>
      {tuning.tried.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>hint</th>
              {byEnergy && (
                <Heads
                  medians="Energy of the processors and their memory, medians of the pairs"
                  more="By so much it takes more energy with the hint, or less"
                  name="energy"
                />
              )}
              <Heads
                medians="Medians of the pairs"
                more="By so much it takes longer with the hint, or less"
                name="change"
              />
              {tuning.goal === "cores" ? (
                <th class="number" title="By so much it takes longer, by replays of the recording">
                  predicted
                </th>
              ) : (
                <th class="number" title="By the report, at most">
                  promised
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {tuning.tried.map((t) => (
              <tr key={t.hints} class={t.verdict === "accepted" ? "on" : ""}>
                <td>
                  <b>{t.what}</b>
                  <span class="faint">{t.hints}</span>
                  <span class="advice">{t.verdict}</span>
                </td>
                {byEnergy && <Cells before={t.before_joules} after={t.after_joules} text={joules} />}
                <Cells before={t.before_seconds} after={t.after_seconds} text={ns} />
                <td class="number">{promised(t)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
