/** The pictures of the seeded site, drawn here: each is SVG of 640 × 480 pixels. */

const frame = (background: string, ...shapes: string[]) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480" viewBox="0 0 640 480"><rect width="640" height="480" fill="${background}"/>${shapes.join('')}</svg>`

const box = (x: number, y: number, width: number, height: number, fill: string, radius = 0) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`

const disc = (x: number, y: number, wide: number, high: number, fill: string, opacity = 1) =>
  `<ellipse cx="${x}" cy="${y}" rx="${wide}" ry="${high}" fill="${fill}" opacity="${opacity}"/>`

const path = (line: string, fill: string, opacity = 1) =>
  `<path d="${line}" fill="${fill}" opacity="${opacity}"/>`

const oak = '#b98a58'
const ash = '#d9bf95'
const dark = '#4a3a2b'
const opal = '#fff7e6'
const light = '#ffdf9a'

/** A table lamp: a shade of opal glass on a foot of wood. */
const lamp = (x: number, y: number, size: number) =>
  [
    disc(x, y, 1.6 * size, 1.5 * size, light, 0.35),
    disc(x, y, size, 0.85 * size, opal),
    box(x - 0.09 * size, y + 0.8 * size, 0.18 * size, 0.9 * size, ash),
    disc(x, y + 1.75 * size, 0.6 * size, 0.14 * size, ash),
  ].join('')

/** A person from behind the table, up to the shoulders. */
const person = (x: number, y: number, hair: string, shirt: string) =>
  [
    path(`M${x - 48} ${y + 130}q4-74 48-74t48 74z`, shirt),
    disc(x, y + 22, 26, 32, '#e3b592'),
    path(`M${x - 28} ${y + 18}q0-38 28-38t28 38q-14-16-28-16t-28 16z`, hair),
  ].join('')

/** A hanging lamp in a window. */
const hanging = (x: number, length: number, fill: string) =>
  [
    box(x - 1, 70, 2, length, dark),
    disc(x, 104 + length, 70, 50, light, 0.4),
    path(`M${x - 44} ${112 + length}q4-44 44-44t44 44z`, fill),
    disc(x, 112 + length, 16, 10, opal),
  ].join('')

const floor = (fill: string, from = 380) => box(0, from, 640, 480 - from, fill)

/** By name of the file. */
export const drawings: Record<string, string> = {
  'aurora-lamp.jpg': frame('#7f9298', floor('#8b6b48', 372), lamp(320, 190, 104)),
  'aurora-lamp-shade.jpg': frame(
    '#6f8288',
    disc(320, 250, 330, 250, light, 0.4),
    disc(320, 240, 210, 178, opal),
    path('M150 180q170-90 340 0q-170-40-340 0z', '#ffffff', 0.8),
    box(286, 408, 68, 72, ash),
  ),
  'borealis-desk.jpg': frame(
    '#cfd4cf',
    floor('#a89c8c', 390),
    box(90, 210, 460, 26, oak, 4),
    box(104, 236, 170, 62, '#a57848'),
    box(366, 236, 170, 62, '#a57848'),
    disc(189, 267, 9, 9, dark),
    disc(451, 267, 9, 9, dark),
    box(108, 298, 18, 132, oak),
    box(514, 298, 18, 132, oak),
    lamp(190, 140, 40),
  ),
  'workshop.jpg': frame(
    '#d8c7ab',
    path('M0 0h230l170 480H0z', '#f6e7c4', 0.7),
    box(60, 60, 150, 170, '#bfe0ee'),
    box(132, 60, 6, 170, '#ffffff'),
    box(60, 142, 150, 6, '#ffffff'),
    box(270, 90, 310, 10, dark),
    ...[300, 350, 400, 450, 500].map((x, at) => box(x, 100, 12, 60 + at * 9, at % 2 ? '#7c8790' : oak)),
    box(40, 320, 560, 34, oak, 3),
    box(70, 354, 26, 126, '#8d6640'),
    box(544, 354, 26, 126, '#8d6640'),
    box(170, 300, 190, 20, ash),
    path('M420 320q30-34 66-18q-14 6-12 18z', ash),
    lamp(480, 246, 42),
  ),
  'showroom-hamburg.jpg': frame(
    '#3f4f5c',
    box(40, 60, 560, 300, '#93b6c9'),
    box(40, 290, 560, 70, '#5f8fa6'),
    box(40, 270, 560, 20, '#7b6f63'),
    ...[70, 150, 430, 520].map((x, at) => box(x, 180 - at * 12, 60, 92 + at * 12, '#9c5a48')),
    hanging(170, 60, '#e0b04d'),
    hanging(320, 100, '#c7d0d4'),
    hanging(470, 40, '#b4532f'),
    floor('#75604a', 400),
  ),
  'team.jpg': frame(
    '#dfe3dc',
    hanging(210, 10, '#c7d0d4'),
    hanging(430, 10, '#c7d0d4'),
    ...[
      ['#3b2a20', '#35597a'],
      ['#c9a25a', '#8a3d3d'],
      ['#5c5c5c', '#4f7350'],
      ['#2a211c', '#b98a2e'],
      ['#8a5a34', '#5b4a78'],
    ].map(([hair = '', shirt = ''], at) => person(90 + at * 115, 200 + (at % 2) * 12, hair, shirt)),
    box(10, 330, 620, 36, oak, 4),
    box(60, 366, 30, 114, '#8d6640'),
    box(550, 366, 30, 114, '#8d6640'),
  ),
}
