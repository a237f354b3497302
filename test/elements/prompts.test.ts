import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { button, clear, focused, message, mountModule, stage } from './mount.ts'

afterEach(clear)

const field = (name: string) => page.getByRole('textbox', { name, exact: true })

function withPrompts() {
  const it = stage()
  it.prompts = {
    shared: [{ title: 'Teaser', text: 'Write a {tone} teaser about {topic}.' }],
    own: [{ id: '0'.repeat(26), title: 'Proofread', text: 'Check the spelling.' }],
  }
  return it
}

test('a prompt that is too long stays whole, and the form tells its length and refuses it', async () => {
  const it = withPrompts()
  mountModule(it)
  await button('Add to the message').click()
  await page.getByRole('menuitem', { name: 'Your prompts …' }).click()
  await button('New prompt').click()
  await field('Name').fill('Long')
  await field('Text').fill('x'.repeat(1_001))
  await expect.element(page.getByText('1,001 of 1,000 characters')).toBeVisible()
  await button('Save prompt').click()

  await expect.element(page.getByRole('alert')).toMatchTextContent('1 character too long')
  await expect.element(field('Text')).toHaveValue('x'.repeat(1_001))
  expect(it.to('/prompts/save')).toEqual([])
  // A key pressed out of habit does not close what holds unsaved words.
  await userEvent.keyboard('{Escape}')
  await expect.element(field('Text')).toBeInTheDocument()

  await field('Text').fill('x'.repeat(1_000))
  await button('Save prompt').click()
  await expect.element(button('Edit Long')).toBeVisible()
  expect(page.getByRole('alert').elements()).toEqual([])
})

describe('a / at the start of the message', () => {
  test('offers prompts, and puts the chosen one into the message', async () => {
    mountModule(withPrompts())
    await message().click()
    await userEvent.keyboard('/')
    await expect.poll(focused).toBe('Search prompts')
    await userEvent.keyboard('spell')
    await expect.element(page.getByRole('option', { name: 'Proofread Yours' })).toBeInTheDocument()
    await userEvent.keyboard('{Enter}')

    await expect.element(message()).toHaveValue('Check the spelling.')
    expect(focused()).toBe('Message')
  })

  test('asks for the variables of a prompt', async () => {
    mountModule(withPrompts())
    await message().click()
    await userEvent.keyboard('/')
    await page.getByRole('option', { name: 'Teaser Shared' }).click()
    await field('tone').fill('cheerful')
    // Escape would discard the values.
    await userEvent.keyboard('{Escape}')
    await field('topic').fill('our lamps')
    await userEvent.keyboard('{Enter}')

    await expect.element(message()).toHaveValue('Write a cheerful teaser about our lamps.')
    expect(focused()).toBe('Message')
  })

  test('is a character like others elsewhere', async () => {
    const it = withPrompts()
    mountModule(it)
    await message().click()
    await userEvent.keyboard('Yes /')

    await expect.element(message()).toHaveValue('Yes /')
    expect(it.to('/prompts')).toEqual([])
  })
})

test('the user keeps, changes and deletes prompts of their own', async () => {
  const it = withPrompts()
  mountModule(it)
  await message().fill('Shorten it.')
  await button('Add to the message').click()
  await page.getByRole('menuitem', { name: 'Your prompts …' }).click()
  await button('New prompt').click()
  await expect.element(field('Text')).toHaveValue('Shorten it.')
  await field('Name').fill('Shorten')
  await button('Save prompt').click()
  await button('Edit Shorten').click()
  await field('Text').fill('Shorten it by half.')
  await button('Save prompt').click()
  await button('Delete Proofread').click()

  await expect.element(button('Delete Proofread')).not.toBeInTheDocument()
  expect(it.prompts.own).toEqual([{ id: expect.any(String), title: 'Shorten', text: 'Shorten it by half.' }])
})
