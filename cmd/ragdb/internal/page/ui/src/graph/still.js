// The last whole picture of a graph. While a hand moves the view it is moved along, which is
// much faster than drawing thousands of edges; what comes into sight is drawn at rest.

export class Still {
  constructor(canvas) {
    this.canvas = canvas;
    this.copy = document.createElement("canvas");
  }

  // keep takes the picture as it is now, with the view that it shows.
  keep(view, width, height) {
    if (this.copy.width !== this.canvas.width || this.copy.height !== this.canvas.height) {
      this.copy.width = this.canvas.width;
      this.copy.height = this.canvas.height;
    }
    this.copy.getContext("2d", { alpha: false }).drawImage(this.canvas, 0, 0);
    Object.assign(this, { view: { ...view }, width, height });
  }

  // show draws the picture as another view has it.
  show(pen, view, paper) {
    const k = view.k / this.view.k;
    pen.fillStyle = paper;
    pen.fillRect(0, 0, this.width, this.height);
    pen.drawImage(this.copy, view.x - this.view.x * k, view.y - this.view.y * k, this.width * k, this.height * k);
  }
}
