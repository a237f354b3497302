import type { Row } from '../../../core/cms/reference/item.ts'
import { dayMs, row } from '../../../core/cms/reference/seed-row.ts'

type Story = [category: string, language: 0 | 1, title: string, teaser: string, body: string]

/** The oldest first; about one every two weeks. */
const stories: Story[] = [
  [
    'Company',
    0,
    'Nine apprentices',
    'For the first time nine people learn a trade with us.',
    'Five in joinery, two in upholstery, one in metal and one in the office. All of them build a lamp in their first month.',
  ],
  [
    'Products',
    0,
    'The Kobbe stool stacks',
    'Four stools now take the floor space of one.',
    'Customers asked for it for years. The legs move out by four millimetres; nobody will notice but the pile.',
  ],
  [
    'Werkstatt',
    1,
    'Neue Absaugung in der Werkstatt',
    'Weniger Staub, weniger Lärm, weniger Strom.',
    'Die neue Anlage läuft nur, wo gerade gearbeitet wird. Sie spart nach den ersten Messungen ein Drittel des Stroms.',
  ],
  [
    'Service',
    0,
    'Repairs by appointment',
    'Bring your lamp on Saturdays and take it home the same day.',
    'Most lamps need a new cable or a new LED. Both take twenty minutes, and there is coffee.',
  ],
  [
    'Products',
    0,
    'Linen from Normandy',
    'Five new colours for sofa and armchair.',
    'The linen is woven forty kilometres from where the flax grows. It wrinkles, and that is as it should be.',
  ],
  [
    'Company',
    0,
    'Figures of the year',
    'What we used, what we repaired, what we missed.',
    'Electricity fell by three per cent, packaging rose by six. The second figure is why we now fetch our boxes back.',
  ],
  [
    'Produkte',
    1,
    'Lampe ohne Kabel: die Skagen-Laterne',
    'Vierzig Stunden Licht, ganz ohne Steckdose.',
    'Der Akku lässt sich mit einer Münze wechseln. Ersatz kostet 19 EUR und passt auch in zehn Jahren noch.',
  ],
  [
    'Workshop',
    0,
    'A weaver from Jutland',
    'Karen Mikkelsen taught us paper cord for two weeks.',
    'The Bris chair is now woven in Hamburg as well. The difference is in the corners; ask us to show you.',
  ],
  [
    'Service',
    0,
    'Delivery to Switzerland',
    'Duty paid, carried upstairs, packaging taken back.',
    'Furniture leaves Hamburg every second Tuesday and arrives in Zurich, Bern or Basel by the end of the week.',
  ],
  [
    'Products',
    0,
    'Nordkapp remembers',
    'The standing desk now stores four heights.',
    'The new control fits all desks since 2019. Customer service sends it for 29 EUR, with a screwdriver.',
  ],
  [
    'Firma',
    1,
    'Wien wird fünf',
    'Die Ausstellung in der Neubaugasse feiert Geburtstag.',
    'Fünf Jahre, 212 Sofas, ein Wasserschaden. Danke an alle, die damals beim Tragen geholfen haben.',
  ],
  [
    'Workshop',
    0,
    'Larch from Styria',
    'The second kitchen table comes from the second forest.',
    'The storms of last year felled more larch than the sawmill could take. We took two truckloads and are drying it now.',
  ],
  [
    'Products',
    0,
    'Goodbye, Ravn',
    'A lamp leaves the range after sixteen years.',
    'Thirty pieces, no more: for the Vega desk light the Ravn had to go. Spare parts remain available until 2041.',
  ],
  [
    'Service',
    1,
    'Pflegeöl im Nachfüllbeutel',
    'Dasselbe Öl, ein Zehntel der Verpackung.',
    'Der Beutel fasst 500 ml und kostet 22 EUR. Die alte Flasche füllt man einfach wieder auf.',
  ],
  [
    'Company',
    0,
    'Night of the workshops',
    '600 visitors, 41 self-made lamps.',
    'It was loud, it was full, and somebody left a left shoe. It waits at the reception.',
  ],
  [
    'Products',
    0,
    'Hygge with fewer parts',
    'The sofa frame now needs 14 instead of 22 screws.',
    'Fewer parts mean fewer repairs. Frames of older sofas can be changed when they come in for a new cover.',
  ],
  [
    'Werkstatt',
    1,
    'Opalglas aus Bayern',
    'Ein Besuch in der Glashütte, die unsere Schirme bläst.',
    'Vier Menschen, ein Ofen, 1.150 Grad. Ein Schirm der Aurora-Leuchte dauert elf Minuten und misslingt jedes siebte Mal.',
  ],
  [
    'Service',
    0,
    'We call back',
    'If all lines are busy, press one.',
    'Nobody should listen to music to ask for a screw. We call back the same day, until seven in the evening.',
  ],
  [
    'Company',
    0,
    'A roof full of sun',
    '22 % of our electricity now comes from above.',
    'The panels carry the saw and the compressors on bright days. In December they carry the coffee machine.',
  ],
  [
    'Products',
    0,
    'The Trapp ladder shelf',
    'Leans, holds, and takes plants.',
    'Two screws keep it at the wall. We tested it with 60 kilos of books and one cat.',
  ],
  [
    'Firma',
    1,
    'Stipendium für Reparaturcafés',
    'Wir geben zehn Initiativen Werkzeug und Zeit.',
    'Bewerben können sich Reparaturcafés in Deutschland und Österreich bis zum Ende des Quartals.',
  ],
  [
    'Workshop',
    0,
    'How a drawer closes',
    'The last five centimetres, explained.',
    'A spring, a damper and a piece of birch. We drew it because so many of you asked.',
  ],
  [
    'Products',
    0,
    'Fyr and the moths',
    'Why our garden light points down.',
    'Light that goes up helps nobody. Biologists of the university counted for us: a third of the insects of a common lamp.',
  ],
  [
    'Service',
    0,
    'Boxes come back',
    'Leave the packaging with our drivers.',
    'A box makes nine journeys before it is pulp. Please do not cut it open: there is a strip.',
  ],
  [
    'Produkte',
    1,
    'Neue Farbe: Moosgrün',
    'Für Hygge-Sofa, Stormur-Sessel und Fika-Bank.',
    'Die Wolle wird auf Gotland gefärbt. Stoffproben schicken wir kostenlos, mit Rückumschlag.',
  ],
  [
    'Company',
    0,
    'Books instead of a catalogue',
    'We no longer print one.',
    'The catalogue cost eleven tonnes of paper a year. Instead there is a small book about light; ask for it in the showrooms.',
  ],
  [
    'Workshop',
    0,
    'Saturday in the joinery',
    'New dates for visits until summer.',
    'First Saturday of the month, from ten. Children may sand, adults may watch.',
  ],
  [
    'Products',
    0,
    'Vind without plastic',
    'The back of the office chair is now knitted.',
    'The yarn is made of old fishing nets and lasts twice as long in our test machine. It is still not pretty when wet.',
  ],
  [
    'Werkstatt',
    1,
    'Meisterprüfung bestanden',
    'Jule Petersen ist Tischlermeisterin.',
    'Ihr Meisterstück ist ein Sekretär mit einer Klappe, die sich selbst ausbalanciert. Er steht bis März in Hamburg.',
  ],
  [
    'Service',
    0,
    'Spare parts shop',
    '1,480 parts, with pictures, from 0.40 EUR.',
    'Search by product and year. If you do not find the part, send us a picture of the hole it belongs in.',
  ],
  [
    'Products',
    0,
    'Midsommar for ten',
    'The garden table grows by thirty centimetres.',
    'Older tables can be lengthened: we make the middle board to the grain of yours.',
  ],
  [
    'Company',
    0,
    'Two lamps in a museum',
    'The Museum of Arts and Crafts shows Aurora and Polaris.',
    'They stand between a telephone and a radio. The guard switches them on at eleven.',
  ],
  [
    'Produkte',
    1,
    'Borealis-Schreibtisch in 180 cm',
    'Für alle, die zwei Bildschirme und eine Katze haben.',
    'Die neue Länge kostet 990 EUR. Die Kabelwanne wächst mit, die Schubladen bleiben, wo sie sind.',
  ],
  [
    'Workshop',
    0,
    'The quiet saw',
    'A new blade, six decibels less.',
    'It is still a saw. But one can now hear the radio, and that somebody is calling for lunch.',
  ],
  [
    'Service',
    0,
    'Evening hours',
    'The showroom in Hamburg stays open until 21 h on Thursdays.',
    'Lamps are best bought in the dark. There is soup.',
  ],
  [
    'Firma',
    1,
    'Wir suchen eine Polsterin',
    'Oder einen Polsterer. Teilzeit, Hamburg, ab sofort.',
    'Schreiben Sie uns eine Seite über etwas, das Sie repariert haben. Mehr brauchen wir nicht.',
  ],
  [
    'Products',
    0,
    'Aurora lamp: new price',
    'From this month the Aurora lamp costs 149 EUR.',
    'The glassworks pays its people better, and that is right. Orders made before keep the price of 139 EUR.',
  ],
  [
    'Company',
    0,
    'Repairs reach a record',
    '1,912 things were saved last year.',
    '88 % of what came in could be repaired. The rest gave its parts to others.',
  ],
  [
    'Werkstatt',
    1,
    'Winterpause',
    'Vom 23. Dezember bis zum 2. Januar ruht die Werkstatt.',
    'Der Kundendienst bleibt erreichbar, mit einem Menschen statt dreien. Lieferungen gibt es wieder ab dem 5. Januar.',
  ],
  [
    'Products',
    0,
    'A lamp for the harbour pilots',
    'Sixty Skagen lanterns now work on the Elbe.',
    'The pilots wanted a light that floats. It does, for forty hours, and can be seen at two hundred metres.',
  ],
]

const authors = ['editor', 'autorin']
const names = ['Edgar Holm', 'Astrid Winter']

/** The news of the last eighteen months, uid 1 the oldest. */
export function newsRows(now: number): Row[] {
  return stories.map(([category, language, title, teaser, body], at) => {
    const published = now - (4 + (stories.length - 1 - at) * 13) * dayMs
    const author = language === 1 || at === stories.length - 1 ? 1 : at % 2
    return row(
      'news',
      at + 1,
      { pid: 7, at: published - dayMs, by: authors[author] ?? 'editor' },
      {
        title,
        teaser,
        body: `<p>${teaser}</p>\n<p>${body}</p>`,
        date: new Date(Math.floor(published / dayMs) * dayMs + (9 * dayMs) / 24).toISOString(),
        author: names[author] ?? '',
        category,
        language,
        hidden: false,
      },
    )
  })
}
