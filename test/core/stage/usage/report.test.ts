import { expect, test } from 'vitest'
import { csv } from '../../../../core/stage/usage/report.ts'

test.each([
  ['plain', 'plain'],
  ['a,b "c"', '"a,b ""c"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\n=1', '"\'\n=1"'],
  ['\r=1', '"\'\r=1"'],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['\u00a0=1', "'\u00a0=1"],
])('the cell %j is written as %j', (value, written) => {
  expect(csv([[value, 'x']])).toBe(`${written},x\r\n`)
})
