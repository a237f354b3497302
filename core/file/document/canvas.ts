/**
 * Defines three browser classes that pdf.js requires at load, although only its drawing uses them. Without these,
 * pdf.js would load a native canvas of 30 MB. pdf.js creates one matrix at load, so the constructors are empty. Any
 * drawing with them fails at its first method.
 */
Object.assign(globalThis, { DOMMatrix: class {}, ImageData: class {}, Path2D: class {} })

export {}
