import { html } from 'lit'
import { afterEach, expect, test } from 'vitest'
import { ModuleElement } from '../../web/backend/module-element.ts'

/** A module whose answers come when the test says so. */
class Sample extends ModuleElement<string> {
  readonly answers: PromiseWithResolvers<string>[] = []
  protected override get path() {
    return '/sample'
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
