import { html } from 'lit'
import { afterEach, expect, test } from 'vitest'
import { RequestError } from '../../web/backend/backend-api.ts'
import { ModuleElement } from '../../web/backend/module-element.ts'

/** A module whose answers come when the test says so. */
class Sample extends ModuleElement<string> {
  readonly answers: PromiseWithResolvers<string>[] = []
  place = '/sample'
  protected override readonly keepsData = true
  protected override get path() {
    return this.place
  }
  protected override load() {
    const answer = Promise.withResolvers<string>()
    this.answers.push(answer)
    return answer.promise
  }
  protected override draw(data: string) {
    return html`<p>${data}</p>`
  }
}
customElements.define('sample-module', Sample)

afterEach(() => document.body.replaceChildren())

test('an answer that another one has overtaken is dropped', async () => {
  const sample = new Sample()
  sample.revision = 0
  document.body.append(sample)
  await sample.updateComplete
  sample.revision = 1
  await sample.updateComplete
  const [first, second] = sample.answers

  second?.resolve('After the change')
  await second?.promise
  first?.resolve('Before the change')
  await first?.promise
  await sample.updateComplete

  expect(sample.textContent).toContain('After the change')
})

const offline = new RequestError({ code: 'offline', message: 'The server cannot be reached.' })

test.each([
  ['without a connection keeps what it shows, and says so', offline, true],
  ['that the server refuses shows why', new RequestError({ code: 'x', message: 'It is gone.' }), false],
])('a refresh %s', async (_, error, isKept) => {
  const sample = new Sample()
  sample.revision = 0
  document.body.append(sample)
  await sample.updateComplete
  sample.answers[0]?.resolve('Content')
  await expect.poll(() => sample.textContent).toContain('Content')

  sample.revision = 1
  await sample.updateComplete
  sample.answers[1]?.reject(error)

  const alert = () => sample.querySelector('[role=alert]')
  await expect
    .poll(() => alert()?.textContent)
    .toMatch(isKept ? /The server cannot be reached/ : /It is gone/)
  expect(sample.textContent.includes('Content')).toBe(isKept)

  alert()?.querySelector('button')?.click()
  sample.answers[2]?.resolve('Content of now')
  await expect.poll(() => sample.textContent).toContain('Content of now')
  expect(alert()).toBe(null)
})

test('what another path has is not kept for a path that cannot be reached', async () => {
  const sample = new Sample()
  sample.revision = 0
  document.body.append(sample)
  await sample.updateComplete
  sample.answers[0]?.resolve('Of the first path')
  await expect.poll(() => sample.textContent).toContain('Of the first path')

  sample.place = '/other'
  sample.requestUpdate()
  await sample.updateComplete
  sample.answers[1]?.reject(offline)

  await expect.poll(() => sample.querySelector('[role=alert]')).not.toBe(null)
  expect(sample.textContent).not.toContain('Of the first path')
})
