import { expect, test } from 'vitest'
import { type Intent, intents } from '../../../../core/model/demo/intent.ts'

const title = (target: string, value: string): Intent => ({ kind: 'field', target, field: 'title', value })
const price = (target: string, value = '139 EUR'): Intent => ({ kind: 'price', target, value })
const page = (name: string, parent = ''): Intent => ({ kind: 'page', title: name, parent })

test.each<[string, Intent[]]>([
  ['Rename page 3 to Aurora table lamp', [title('page 3', 'Aurora table lamp')]],
  ['Please rename the page “Contact” to “Find us”.', [title('the page “Contact”', 'Find us')]],
  ['Benenne Seite 3 in Aurora-Leuchte um', [title('Seite 3', 'Aurora-Leuchte')]],
  ['Bitte benenne die Seite Kontakt in Anfahrt um.', [title('die Seite Kontakt', 'Anfahrt')]],
  ['Change the title of page 3 to Lamp', [title('page 3', 'Lamp')]],
  ['Can you set the title to Lamp?', [title('', 'Lamp')]],
  ['Change page 3’s title to Lamp', [title('page 3', 'Lamp')]],
  ['Ändere den Titel von Seite 3 auf Lampe', [title('Seite 3', 'Lampe')]],
  ['Ändere die Überschrift auf Licht', [{ kind: 'field', target: '', field: 'header', value: 'Licht' }]],
  [
    'Update the nav title of page 3 to L',
    [{ kind: 'field', target: 'page 3', field: 'nav_title', value: 'L' }],
  ],
  ['Set the price of the Aurora lamp to 139 EUR', [price('the Aurora lamp')]],
  ['Set the Aurora lamp price to 139 EUR', [price('Aurora lamp')]],
  ['Change the price on this page from 149 EUR to 139 EUR.', [price('this page')]],
  ['Put 139 EUR on the page', [price('the page')]],
  ['Ändere den Preis der Aurora lamp auf 139 EUR', [price('Aurora lamp')]],
  ['Schreibe 139 EUR auf die Seite', [price('die Seite')]],
  ['Setze den Preis auf 139 EUR', [price('')]],
  ['Create a page Lighting tips under page 2', [page('Lighting tips', 'page 2')]],
  ['Create a new hidden page called “Lighting tips” below Products', [page('Lighting tips', 'Products')]],
  ['Create a page Lighting tips', [page('Lighting tips')]],
  ['Erstelle eine versteckte Seite Lichttipps unter Seite 2', [page('Lichttipps', 'Seite 2')]],
  ['Lege eine neue Seite „Lichttipps“ unter Produkte an', [page('Lichttipps', 'Produkte')]],
  [
    'Create a hidden text element “Delivery” on this page: Within five days.',
    [{ kind: 'element', type: 'text', page: 'this page', header: 'Delivery', body: 'Within five days.' }],
  ],
  [
    'Erstelle ein Textelement „Lieferung“ auf dieser Seite: In fünf Tagen.',
    [{ kind: 'element', type: 'text', page: 'dieser Seite', header: 'Lieferung', body: 'In fünf Tagen.' }],
  ],
  [
    'Add a list element to page 3 with text One',
    [{ kind: 'element', type: 'list', page: 'page 3', header: '', body: 'One' }],
  ],
  [
    'Put “Sold out until May” on this page',
    [{ kind: 'element', type: 'text', page: 'this page', header: '', body: 'Sold out until May' }],
  ],
  ['Rename page 3 to A and page 4 to B', [title('page 3', 'A'), title('page 4', 'B')]],
  ['Rename page 12 to A and page 13 to B', [title('page 12', 'A'), title('page 13', 'B')]],
  ['Change the title of page 3 to A and set the price of it to 139 EUR', [title('page 3', 'A'), price('it')]],
  [
    'Benenne Seite 3 in A um und erstelle eine Seite B unter Seite 2',
    [title('Seite 3', 'A'), page('B', 'Seite 2')],
  ],
  ['Rename page 3 to Salt and pepper', [title('page 3', 'Salt and pepper')]],
  ['What does the Aurora lamp cost?', []],
  ['Write a poem on lamps', []],
  ['Who changed page 3?', []],
  ['', []],
])('%s', (message, expected) => {
  expect(intents(message)).toEqual(expected)
})
