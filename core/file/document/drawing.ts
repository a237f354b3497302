import { OPS, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { open } from './annotations.ts'
import { processorMs } from './excerpt.ts'
import { encodeMask, encodePicture, type Pixels } from './png.ts'

/** The longest edge of a drawn page in pixels: models scale larger pictures down. */
const edge = 1_568
/** The longest edge of a picture within a page, in pixels. */
const maxPictureEdge = 1.5 * edge
/** No further page is drawn after this much processor time, in milliseconds. */
const softMs = 12_000
/** The maximum length of a drawing: longer drawings take too much memory. */
const maxCharacters = 60_000_000

type Matrix = [number, number, number, number, number, number]
type Font = { loadedName: string; fontMatrix?: Matrix; charProcOperatorList?: Record<string, Operators> }
type Glyph = { fontChar: string; width: number; isSpace: boolean; operatorListId?: string }
type Operators = { fnArray: number[]; argsArray: unknown[] }
/** A decoded picture, or the name of a picture. */
type Image = Omit<Pixels, 'data'> & { data: Uint8Array | string }

/** The graphics state that a page saves and restores. */
type Paint = {
  matrix: Matrix
  fill: string
  stroke: string
  line: number
  alpha: number
  font: Font | undefined
  size: number
  /** The extra space after each character and each word; the line spacing; the rise above the line. */
  letter: number
  word: number
  leading: number
  rise: number
  /** The horizontal scaling of characters, in percent. */
  width: number
  /** The text rendering mode, as a number of the PDF format. */
  mode: number
}

type Drawing = {
  page: PDFPageProxy
  items: string[]
  length: number
  paint: Paint
  saved: Paint[]
  /** The transformation from the page to its drawing. */
  base: Matrix
  text: { matrix: Matrix; x: number; y: number; lineX: number; lineY: number }
}

const identity: Matrix = [1, 0, 0, 1, 0, 0]

/**
 * Returns the pages of a PDF as SVG drawings of their pictures, text and lines. Null for a page that has no visible
 * content or cannot be drawn. Leaves out clips, shadings and transparency masks. Only for use in the sandbox.
 */
export async function drawPages(bytes: Uint8Array, pages: number[]): Promise<(string | null)[]> {
  const until = processorMs() + softMs
  const document = await open(bytes)
  const drawings: (string | null)[] = []
  let length = 0
  for (const number of pages) {
    const hasRoom = processorMs() < until && length < maxCharacters && number <= document.numPages
    const drawing = hasRoom ? await drawPage(document, number) : null
    length += drawing?.length ?? 0
    drawings.push(drawing)
  }
  return drawings
}

async function drawPage(document: PDFDocumentProxy, number: number): Promise<string | null> {
  const page = await document.getPage(number)
  const plain = page.getViewport({ scale: 1 })
  const view = page.getViewport({ scale: edge / Math.max(plain.width, plain.height) })
  const [width, height] = [Math.max(1, Math.round(view.width)), Math.max(1, Math.round(view.height))]
  const drawing = blankDrawing(page, view.transform as Matrix)
  try {
    const list = await page.getOperatorList()
    await arrival(page, list)
    run(drawing, list)
  } catch {
    // The page is damaged or has a picture in an unsupported format.
    return null
  } finally {
    page.cleanup()
  }
  if (drawing.items.length === 0 || drawing.length > maxCharacters) return null
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${drawing.items.join('')}</svg>`
}

/** Waits for the fonts and pictures that the operators name: pdf.js decodes them after it returns the operators. */
async function arrival(page: PDFPageProxy, { fnArray, argsArray }: Operators): Promise<void> {
  const names = fnArray.flatMap((operator, at) =>
    operator === OPS.dependency ? (argsArray[at] as string[]) : [],
  )
  await Promise.all(names.map((name) => new Promise((arrived) => objectsWith(page, name).get(name, arrived))))
}

/** Returns the store that has the object with this name: the store of the page, or the store that all pages share. */
function objectsWith(page: PDFPageProxy, name: string) {
  return name.startsWith('g_') ? page.commonObjs : page.objs
}

function blankDrawing(page: PDFPageProxy, base: Matrix): Drawing {
  const text = { matrix: identity, x: 0, y: 0, lineX: 0, lineY: 0 }
  return { page, items: [], length: 0, paint: first(base), saved: [], base, text }
}

/** Returns the graphics state at the start of a page. */
function first(matrix: Matrix): Paint {
  return {
    matrix,
    fill: '#000000',
    stroke: '#000000',
    line: 1,
    alpha: 1,
    font: undefined,
    size: 0,
    letter: 0,
    word: 0,
    leading: 0,
    rise: 0,
    width: 100,
    mode: 0,
  }
}

function run(drawing: Drawing, { fnArray, argsArray }: Operators): void {
  for (const [at, operator] of fnArray.entries())
    operators.get(operator)?.(drawing, ...((argsArray[at] ?? []) as never[]))
}

/** A function that draws an operator; the types of the arguments depend on the operator. */
type Operator = (drawing: Drawing, ...args: never[]) => void

const operators = new Map<number, Operator>([
  [OPS.save, save],
  [OPS.restore, restore],
  [OPS.beginGroup, save],
  [OPS.endGroup, restore],
  [OPS.transform, (drawing, ...matrix: Matrix) => transform(drawing, matrix)],
  [OPS.paintFormXObjectBegin, beginForm],
  [OPS.paintFormXObjectEnd, restore],
  [OPS.beginAnnotation, beginAnnotation],
  [OPS.endAnnotation, restore],
  [OPS.setLineWidth, setting('line')],
  [OPS.setFillRGBColor, setting('fill')],
  [OPS.setStrokeRGBColor, setting('stroke')],
  [OPS.setGState, setState],
  [OPS.constructPath, path],
  [OPS.beginText, (drawing) => setTextMatrix(drawing, identity)],
  [OPS.setTextMatrix, setTextMatrix],
  [OPS.setFont, setFont],
  [OPS.setCharSpacing, setting('letter')],
  [OPS.setWordSpacing, setting('word')],
  [OPS.setHScale, setting('width')],
  [OPS.setLeading, setting('leading')],
  [OPS.setTextRise, setting('rise')],
  [OPS.setTextRenderingMode, setting('mode')],
  [OPS.moveText, moveText],
  [OPS.setLeadingMoveText, setLeadingAndMove],
  [OPS.nextLine, (drawing) => moveText(drawing, 0, -drawing.paint.leading)],
  [OPS.showText, showText],
  [OPS.paintImageXObject, (drawing, name: string) => picture(drawing, imageOf(drawing, name))],
  [OPS.paintInlineImageXObject, (drawing, image: Image) => picture(drawing, image)],
  [OPS.paintImageMaskXObject, mask],
  [
    OPS.paintImageMaskXObjectGroup,
    (drawing, images: (Image & { transform: Matrix })[]) => {
      for (const image of images) placed(drawing, image.transform, () => mask(drawing, image))
    },
  ],
  [
    OPS.paintImageXObjectRepeat,
    (drawing, name: string, x: number, y: number, positions: number[]) =>
      repeat(positions, (left, up) =>
        placed(drawing, [x, 0, 0, y, left, up], () => picture(drawing, imageOf(drawing, name))),
      ),
  ],
  [
    OPS.paintImageMaskXObjectRepeat,
    (drawing, image: Image, a: number, b = 0, c = 0, d: number, positions: number[]) =>
      repeat(positions, (left, up) => placed(drawing, [a, b, c, d, left, up], () => mask(drawing, image))),
  ],
])

/** Returns the operator that sets a part of the graphics state to its argument. */
function setting<K extends keyof Paint>(part: K): Operator {
  return ({ paint }, value: Paint[K]) => {
    paint[part] = value
  }
}

function beginForm(drawing: Drawing, matrix?: Matrix): void {
  save(drawing)
  transform(drawing, matrix)
}

function beginAnnotation(drawing: Drawing, _id: string, _rect: unknown, place: Matrix, matrix: Matrix): void {
  save(drawing)
  drawing.paint = first(drawing.base)
  transform(drawing, place)
  transform(drawing, matrix)
}

function save({ paint, saved }: Drawing): void {
  saved.push({ ...paint })
}

function restore(drawing: Drawing): void {
  drawing.paint = drawing.saved.pop() ?? drawing.paint
}

function transform({ paint }: Drawing, matrix: Matrix | null | undefined): void {
  if (matrix) paint.matrix = times(paint.matrix, matrix)
}

/** Draws with an additional transformation. */
function placed(drawing: Drawing, matrix: Matrix, draw: () => void): void {
  save(drawing)
  transform(drawing, matrix)
  draw()
  restore(drawing)
}

function repeat(positions: ArrayLike<number>, draw: (x: number, y: number) => void): void {
  for (let at = 0; at + 1 < positions.length; at += 2) draw(positions[at] ?? 0, positions[at + 1] ?? 0)
}

function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

function setState(drawing: Drawing, states: [string, unknown][]): void {
  for (const [key, value] of states) {
    if (key === 'LW') drawing.paint.line = Number(value)
    if (key === 'ca') drawing.paint.alpha = Number(value)
    if (key === 'Font') setFont(drawing, ...(value as [string, number]))
  }
}

function add(drawing: Drawing, item: string): void {
  drawing.items.push(item)
  drawing.length += item.length
}

/** Returns the SVG attributes of an item: its transformation and its opacity. */
function attributesOf({ alpha }: Paint, matrix: Matrix): string {
  const place = matrix.map((number) => Number(number.toFixed(5))).join(' ')
  return `transform="matrix(${place})"${alpha < 1 ? ` opacity="${alpha}"` : ''}`
}

/** The SVG name of each path command, and the number of its arguments. */
const commands = [
  ['M', 2],
  ['L', 2],
  ['C', 6],
  ['Z', 0],
] as const
const fills = new Set<number>([OPS.fill, OPS.eoFill, OPS.fillStroke, OPS.eoFillStroke, OPS.closeFillStroke])
const strokes = new Set<number>([
  OPS.stroke,
  OPS.closeStroke,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
])

function path(drawing: Drawing, operator: number, [data]: [ArrayLike<number> | null]): void {
  const { paint } = drawing
  const isStroke = strokes.has(operator)
  if (!data || (!isStroke && !fills.has(operator))) return
  const parts: string[] = []
  for (let at = 0; at < data.length; ) {
    const [name, count] = commands[data[at] ?? 3] ?? ['Z', 0]
    parts.push(name + Array.from({ length: count }, (_, n) => data[at + 1 + n]).join(' '))
    at += 1 + count
  }
  const fill = fills.has(operator) ? paint.fill : 'none'
  const rule = operator === OPS.eoFill || operator === OPS.eoFillStroke ? ' fill-rule="evenodd"' : ''
  const line = isStroke ? ` stroke="${paint.stroke}" stroke-width="${paint.line || 0.5}"` : ''
  add(
    drawing,
    `<path d="${parts.join('')}" fill="${fill}"${rule}${line} ${attributesOf(paint, paint.matrix)}/>`,
  )
}

function setFont(drawing: Drawing, name: string, size: number): void {
  drawing.paint.font = drawing.page.commonObjs.get(name) as Font
  drawing.paint.size = size
}

function setTextMatrix(drawing: Drawing, matrix: Matrix): void {
  drawing.text = { matrix: [...matrix] as Matrix, x: 0, y: 0, lineX: 0, lineY: 0 }
}

function moveText({ text }: Drawing, x: number, y: number): void {
  text.lineX += x
  text.lineY += y
  text.x = text.lineX
  text.y = text.lineY
}

function setLeadingAndMove(drawing: Drawing, x: number, y: number): void {
  drawing.paint.leading = -y
  moveText(drawing, x, y)
}

/** The rendering mode of invisible text, which only a search finds. */
const invisible = 3

function showText(drawing: Drawing, glyphs: (Glyph | number)[]): void {
  const { paint, text } = drawing
  const { font, size } = paint
  if (!font) return
  const matrix = font.fontMatrix ?? [0.001, 0, 0, 0.001, 0, 0]
  const start = times(times(paint.matrix, text.matrix), [1, 0, 0, 1, text.x, text.y + paint.rise])
  const across = paint.width / 100
  let x = 0
  for (const glyph of glyphs) {
    if (typeof glyph === 'number') {
      x -= (glyph * size) / 1_000
      continue
    }
    const place = times(times(start, [across, 0, 0, 1, 0, 0]), [size, 0, 0, size, x, 0])
    if (paint.mode !== invisible) sign(drawing, font, glyph, place)
    x += glyph.width * matrix[0] * size + (glyph.isSpace ? paint.word : 0) + paint.letter
  }
  text.x += x * across
}

/** Draws a character: by its outline, or by the drawing operators that its font contains. */
function sign(drawing: Drawing, font: Font, glyph: Glyph, place: Matrix): void {
  const { paint, page } = drawing
  const procedure = font.charProcOperatorList?.[glyph.operatorListId ?? '']
  if (procedure) {
    const matrix = times(place, font.fontMatrix ?? identity)
    save(drawing)
    drawing.paint = { ...paint, matrix }
    run(drawing, procedure)
    restore(drawing)
    return
  }
  const name = `${font.loadedName}_path_${glyph.fontChar}`
  const outline: unknown = page.commonObjs.has(name) ? page.commonObjs.get(name) : ''
  if (typeof outline === 'string' && /^[\sMLCQZHV\d.,e+-]+$/i.test(outline))
    add(drawing, `<path d="${outline}" fill="${paint.fill}" ${attributesOf(paint, place)}/>`)
}

function imageOf({ page }: Drawing, name: string): Image | null {
  return objectsWith(page, name).get(name) as Image | null
}

function picture(drawing: Drawing, image: Image | null): void {
  drawPicture(drawing, encodePicture(pixelsOf(image), maxPictureEdge))
}

/** Draws a mask: it paints the current fill colour where the bits are 0. */
function mask(drawing: Drawing, given: Image): void {
  const image = typeof given.data === 'string' ? imageOf(drawing, given.data) : given
  const { fill } = drawing.paint
  drawPicture(drawing, encodeMask(pixelsOf(image), /^#[\da-f]{6}$/i.test(fill) ? fill.slice(1) : '000000'))
}

function pixelsOf(image: Image | null): Pixels {
  if (!image || typeof image.data === 'string') throw new Error('The picture was not decoded')
  return { ...image, data: image.data }
}

/** Draws a picture into the unit square, with its first row at the top. */
function drawPicture(drawing: Drawing, file: Buffer): void {
  const matrix = times(drawing.paint.matrix, [1, 0, 0, -1, 0, 1])
  add(
    drawing,
    `<image width="1" height="1" preserveAspectRatio="none" href="data:image/png;base64,${file.toString('base64')}" ${attributesOf(drawing.paint, matrix)}/>`,
  )
}
