/**
 * What pdf.js wants of a browser before it reads anything: three classes of its drawing part, which reading text never
 * uses. It would take them from a native canvas of 30 MB; with these in place it needs none, here and in a bundle. One
 * matrix is made when the module is loaded, hence the empty constructors; drawing with them fails at the first method.
 */
Object.assign(globalThis, {
  DOMMatrix: class {},
  ImageData: class {},
  Path2D: class {},
})

export {}
