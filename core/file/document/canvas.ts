/**
 * Defines three browser classes that pdf.js requires at load, although only its drawing uses them. Without these it
 * would take them from a native canvas of 30 MB; with them it needs no canvas, in a checkout and in a bundle. pdf.js
 * creates one matrix when its module loads, hence the empty constructors. Any drawing fails at its first method.
 */
Object.assign(globalThis, {
  DOMMatrix: class {},
  ImageData: class {},
  Path2D: class {},
})

export {}
