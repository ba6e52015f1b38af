// Which part of the recording's time is shown, and which threads where there are too many for the window.
export class TimeView {
  from = 0; // ns
  to: number;
  scroll = 0; // lanes above the window, in CSS pixels

  constructor(readonly end: number) {
    this.end = Math.max(1, end);
    this.to = this.end;
  }

  get span(): number {
    return this.to - this.from;
  }
  get whole(): boolean {
    return this.from <= 0 && this.to >= this.end;
  }

  fit(): void {
    this.from = 0;
    this.to = this.end;
    this.scroll = 0;
  }

  // At a stretch of time from elsewhere, if it is one.
  look(from: number, to: number): void {
    if (!(from >= 0 && to > from && to <= this.end * 1.001)) return;
    this.from = from;
    this.to = Math.min(to, this.end);
  }

  pan(share: number): void {
    const by = Math.max(-this.from, Math.min(this.end - this.to, share * this.span));
    this.from += by;
    this.to += by;
  }

  // By e^step, with the time at `share` of the window where it is.
  zoomAt(share: number, step: number): void {
    const at = this.from + share * this.span;
    const span = Math.max(20, Math.min(this.end, this.span * Math.exp(-step)));
    this.from = Math.max(0, Math.min(this.end - span, at - share * span));
    this.to = this.from + span;
  }

  frame(from: number, to: number): void {
    this.around((from + to) / 2, (to - from) * 1.3);
  }

  around(middle: number, wanted: number): void {
    const span = Math.max(20, wanted);
    this.from = Math.max(0, Math.min(this.end - span, middle - span / 2));
    this.to = Math.min(this.end, this.from + span);
  }
}
