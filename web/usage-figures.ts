/** Formats a share, such as 0.1, as a percentage with at most two significant digits: `10%`, in German `0,4 %` */
export function percent(locale: string, share: number): string {
  return share.toLocaleString(locale, { style: 'percent', maximumSignificantDigits: 2 })
}

/** Formats a sum: `$12.40`, in German `12,40 $`; an amount below one cent has one significant digit. */
export function dollars(locale: string, sum: number): string {
  const digits = sum > 0 && sum < 0.01 ? { maximumSignificantDigits: 1 } : {}
  const style = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits } as const
  return sum.toLocaleString(locale, style)
}
