/** Answers a statement, signed by the CMS, about the user of its page; rejects if no user is logged in there. */
export type Statement = () => Promise<string>
/** A session for a statement; `lastsSeconds` from now. */
type Exchange = (statement: Statement) => Promise<{ token: string; lastsSeconds: number }>

/** A session is renewed this long before its end, in milliseconds. */
const aheadMs = 60_000

/**
 * The token of a page on another site, only in memory. The page hands it over, or it comes from a statement of the CMS;
 * then it is renewed shortly before its end and after a refusal.
 */
export class Bearer {
  token: string | null = null
  statement: Statement | null = null
  readonly #exchange: Exchange
  #given: string | null = null
  #renewAt = Number.POSITIVE_INFINITY
  #renewal: Promise<void> | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  /** There is a token, or a way to get one. */
  get isKnown(): boolean {
    return this.token !== null || this.statement !== null
  }

  /**
   * Takes the element's token or statement; true if that begins another session. An element without either changes
   * nothing.
   */
  take(token: string | null, statement: Statement | null): boolean {
    const isOther = token !== null && token !== this.#given
    const isFirst = statement !== null && this.statement === null
    if (isOther) {
      this.token = this.#given = token
      this.#renewAt = Number.POSITIVE_INFINITY
    }
    this.statement = statement ?? this.statement
    return isOther || isFirst
  }

  /** Waits until there is a token that is good for a while. Rejects as the exchange does. */
  async ready(): Promise<void> {
    if (this.token === null || Date.now() >= this.#renewAt) await this.renew(this.token)
  }

  /** Waits for another token than the refused one; all who ask meanwhile wait for the same. */
  async renew(refused: string | null): Promise<void> {
    const { statement } = this
    if (!statement || this.token !== refused) return
    this.#renewal ??= this.#renew(statement).finally(() => {
      this.#renewal = undefined
    })
    await this.#renewal
  }

  /** Knows no token any more; the next request needs a new statement. */
  forget(): void {
    this.token = null
  }

  async #renew(statement: Statement): Promise<void> {
    const { token, lastsSeconds } = await this.#exchange(statement)
    this.token = token
    this.#renewAt = Date.now() + Math.max(lastsSeconds * 500, lastsSeconds * 1_000 - aheadMs)
  }
}

/** Asks the CMS who is logged in; rejects when no user is. */
export async function statementOf(address: string): Promise<string> {
  const answer = await fetch(address, {
    method: 'POST',
    // Some CMSs refuse a request without a body and its type.
    headers: { 'content-type': 'application/json' },
    body: '{}',
    credentials: 'same-origin',
    cache: 'no-store',
  })
  // A user who is not logged in gets 401 or 403. Any other status is a fault without a sentence in the panel.
  if (!answer.ok && answer.status !== 401 && answer.status !== 403)
    console.warn(`AI chat: ${address} answered ${answer.status} when it was asked who is logged in`)
  if (answer.status >= 500) throw new TypeError(`The CMS answered ${answer.status}`)
  if (!answer.ok) throw new Error(`The CMS answered ${answer.status}`)
  const { token } = (await answer.json()) as { token: string }
  return token
}
