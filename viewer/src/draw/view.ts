// Where we look: a centre and a zoom. Graphs are far wider than tall (or the other way round), so at zoom 0 each axis
// has its own scale and everything fits; zooming in brings both axes together at their natural scale, and past that
// they grow alike. Between 0 and natural, shapes are squeezed, but nothing is out of reach of the window.
import type { Extent } from "../data/scene";

const kLargest = 8; // times natural size
const kSmallGraph = 3; // a graph that fits is enlarged at most this much by "fit"

export class View {
  x = 0; // layout coordinates in the middle of the window
  y = 0;
  zoom = 0; // natural logarithm; 0 fits everything
  width = 1; // of the window, CSS pixels
  height = 1;
  private fitX = 1; // CSS pixels per unit at zoom 0
  private fitY = 1;
  private reach = 0; // zoom at which both axes are at natural size
  private asked = NaN; // the zoom that look() was asked for, and what it gave: until something else changes it, it is
  private given = NaN; // the one to have whatever size the window gets (while a page is being laid out, several)

  constructor(
    public extent: Extent,
    public unitsPerPixel: number,
  ) {}

  // Another picture: everything fits again.
  show(extent: Extent, unitsPerPixel: number): void {
    this.extent = extent;
    this.unitsPerPixel = unitsPerPixel;
    this.zoom = 0;
    this.resize(this.width, this.height);
    this.fit();
  }

  resize(width: number, height: number): void {
    const shown = this.zoom - this.reach;
    const wasFit = this.zoom === 0;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    const natural = 1 / this.unitsPerPixel;
    const margin = 24;
    const fullX = Math.max(1, this.width - 2 * margin) / Math.max(1, this.extent.right - this.extent.left);
    const fullY = Math.max(1, this.height - 2 * margin) / Math.max(1, this.extent.bottom - this.extent.top);
    if (fullX >= natural && fullY >= natural) {
      this.fitX = this.fitY = Math.min(fullX, fullY, kSmallGraph * natural);
      this.reach = 0;
    } else {
      this.fitX = Math.min(fullX, natural);
      this.fitY = Math.min(fullY, natural);
      this.reach = Math.log(natural / Math.min(this.fitX, this.fitY));
    }
    if (wasFit) return;
    if (this.zoom === this.given) this.zoom = this.given = this.clampZoom(this.asked);
    else this.zoom = this.clampZoom(shown + this.reach); // keep the size of what is looked at
  }

  // CSS pixels per unit.
  get sx(): number {
    return this.scale(this.fitX);
  }
  get sy(): number {
    return this.scale(this.fitY);
  }

  private scale(fit: number): number {
    if (this.reach === 0) return fit * Math.exp(this.zoom);
    const natural = 1 / this.unitsPerPixel;
    const share = Math.min(1, this.zoom / this.reach);
    return fit * (natural / fit) ** share * Math.exp(Math.max(0, this.zoom - this.reach));
  }

  // How far in, alike for pictures of any size: 0 everything, 1 natural size, 2 as near as can be.
  get nearness(): number {
    const far =
      this.reach > 0 && this.zoom <= this.reach
        ? this.zoom / this.reach
        : 1 + (this.zoom - this.reach) / Math.log(kLargest);
    return this.zoom < 0 ? this.zoom : this.reach > 0 ? far : (2 * this.zoom) / Math.log(kLargest);
  }
  zoomOfNearness(n: number): number {
    if (n < 0) return n;
    if (this.reach === 0) return (n * Math.log(kLargest)) / 2;
    return n <= 1 ? n * this.reach : this.reach + (n - 1) * Math.log(kLargest);
  }

  // As near as another view, with (x, y) at a place of the window.
  lineUp(like: View, x: number, y: number, px: number, py: number): void {
    this.zoom = this.clampZoom(this.zoomOfNearness(like.nearness));
    this.x = x - (px - this.width / 2) / this.sx;
    this.y = y - (py - this.height / 2) / this.sy;
    this.keepInside();
  }

  private clampZoom(zoom: number): number {
    const most = this.reach + Math.log(kLargest);
    return Math.min(most, Math.max(-0.7, zoom));
  }

  fit(): void {
    this.zoom = 0;
    this.x = (this.extent.left + this.extent.right) / 2;
    this.y = (this.extent.top + this.extent.bottom) / 2;
  }

  pan(dx: number, dy: number): void {
    this.x += dx / this.sx;
    this.y += dy / this.sy;
    this.keepInside();
  }

  // Zooms by e^step, keeping what is at (px, py) of the window where it is.
  zoomAt(px: number, py: number, step: number): void {
    const x = this.toX(px);
    const y = this.toY(py);
    this.zoom = this.clampZoom(this.zoom + step);
    this.x = x - (px - this.width / 2) / this.sx;
    this.y = y - (py - this.height / 2) / this.sy;
    this.keepInside();
  }

  look(x: number, y: number, zoom: number): void {
    this.asked = zoom;
    this.zoom = this.given = this.clampZoom(zoom);
    this.x = x;
    this.y = y;
  }

  // Looks at one place, near enough to make out nodes.
  centre(x: number, y: number, nearEnough: boolean): void {
    this.x = x;
    this.y = y;
    if (nearEnough) this.zoom = this.clampZoom(Math.max(this.zoom, this.reach));
  }

  // Looks at a part of the picture, as near as it fits, but not nearer than twice natural size.
  frame(part: Extent): void {
    const margin = 40;
    const wide = Math.max(40, this.width - 2 * margin);
    const tall = Math.max(40, this.height - 2 * margin);
    let low = 0;
    let high = this.reach + Math.log(2);
    for (let i = 0; i < 40; i++) {
      this.zoom = (low + high) / 2;
      if ((part.right - part.left) * this.sx <= wide && (part.bottom - part.top) * this.sy <= tall) low = this.zoom;
      else high = this.zoom;
    }
    this.zoom = low;
    if (low < 0.02) return this.fit();
    this.centre((part.left + part.right) / 2, (part.top + part.bottom) / 2, false);
  }

  toX(px: number): number {
    return this.x + (px - this.width / 2) / this.sx;
  }
  toY(py: number): number {
    return this.y + (py - this.height / 2) / this.sy;
  }
  fromX(x: number): number {
    return (x - this.x) * this.sx + this.width / 2;
  }
  fromY(y: number): number {
    return (y - this.y) * this.sy + this.height / 2;
  }

  private keepInside(): void {
    this.x = Math.min(this.extent.right, Math.max(this.extent.left, this.x));
    this.y = Math.min(this.extent.bottom, Math.max(this.extent.top, this.y));
  }
}
