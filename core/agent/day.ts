/** Reads the days that a text names, in three languages and in digits. */

/** A day; without a year where the text names none. */
export type Day = { written: string; year?: number; month: number; day: number }

const months = [
  'january januar janvier jan janv',
  'february februar février feb febr févr',
  'march märz mars mar mär',
  'april avril apr avr',
  'may mai',
  'june juni juin jun',
  'july juli juillet jul juil',
  'august août aug',
  'september septembre sep sept',
  'october oktober octobre oct okt',
  'november novembre nov',
  'december dezember décembre dec dez déc',
]
const numbers = new Map(
  months.flatMap((names, at) => names.split(' ').map((name): [string, number] => [name, at + 1])),
)
const names = [...numbers.keys()].sort((one, other) => other.length - one.length).join('|')
const year = String.raw`(?:,?\s{1,3}(\d{4})(?!\d))?`

const forms: [RegExp, (found: string[]) => Omit<Day, 'written'>[]][] = [
  [/(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/g, ([y, m, d]) => [dayOf(y, m, d)]],
  [
    /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d\d)(?!\d)/g,
    ([d, m, y = '']) => [dayOf(y.length === 2 ? `20${y}` : y, m, d)],
  ],
  [/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/g, ([a, b, y]) => [dayOf(y, a, b), dayOf(y, b, a)]],
  [
    new RegExp(
      String.raw`(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|\.)?\s{1,3}(?:of\s|de\s)?(${names})(?![\p{L}])\.?${year}`,
      'giu',
    ),
    ([d, m, y]) => [dayOf(y, m, d)],
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}])(${names})\.?\s{1,3}(\d{1,2})(?:(?:st|nd|rd|th)(?![\p{L}])|(?=,\s{1,3}\d{4})|(?=[).;:]|\s*$))${year}`,
      'gimu',
    ),
    ([m, d, y]) => [dayOf(y, m, d)],
  ],
]

function dayOf(year: string | undefined, month = '', day = ''): Omit<Day, 'written'> {
  return {
    ...(year && { year: Number(year) }),
    month: numbers.get(month.toLowerCase()) ?? Number(month),
    day: Number(day),
  }
}

/** The days of a text, each as all that it may stand for, and the text without them. */
export function daysOf(text: string): { days: Day[][]; rest: string } {
  const days: Day[][] = []
  let rest = text
  for (const [pattern, read] of forms)
    rest = rest.replace(pattern, (...found) => {
      const [written = '', ...groups] = found.slice(
        0,
        found.findIndex((one) => typeof one === 'number'),
      )
      const all = read(groups).filter(({ month, day }) => month >= 1 && month <= 12 && day >= 1 && day <= 31)
      if (all.length === 0) return written
      days.push(all.map((day) => ({ written, ...day })))
      return ' '.repeat(written.length)
    })
  return { days, rest }
}
