/** A product with its page: `uid` is the page, `parent` the category. Prices are in euros, sizes in centimetres. */
export type Product = {
  uid: number
  parent: number
  slug: string
  price: number
  size: string
  en: { name: string; material: string; text: string }
  de: { name: string; material: string; text: string }
}

type Words = [name: string, material: string, text: string]

const product = (
  uid: number,
  parent: number,
  slug: string,
  price: number,
  size: string,
  en: Words,
  de: Words,
): Product => ({
  uid,
  parent,
  slug,
  price,
  size,
  en: { name: en[0], material: en[1], text: en[2] },
  de: { name: de[0], material: de[1], text: de[2] },
})

const lighting = 20
const tables = 21
const seating = 22
const storage = 23
const outdoor = 24

/** What the shop sells. */
export const products: Product[] = [
  product(
    3,
    2,
    'aurora-lamp',
    149,
    '32 × 32 × 46',
    [
      'Aurora lamp',
      'Mouth-blown opal glass, oiled ash',
      'A table lamp whose light rises slowly, like the first green band over the fjord. Touch the foot to choose one of three levels; the warm LED is replaceable and lasts about 25,000 hours.',
    ],
    [
      'Aurora-Leuchte',
      'Mundgeblasenes Opalglas, geölte Esche',
      'Eine Tischleuchte, deren Licht langsam aufsteigt wie der erste grüne Streifen über dem Fjord. Eine Berührung des Fußes wählt eine von drei Stufen; die warme LED ist austauschbar und hält etwa 25.000 Stunden.',
    ],
  ),
  product(
    4,
    2,
    'borealis-desk',
    890,
    '160 × 75 × 74',
    [
      'Borealis desk',
      'Solid oak, steel frame in soft black',
      'A desk for people who think with their elbows. The top is one plank wide and 27 mm thick, the cable tray folds down without tools, and the two drawers open towards you even when you lean on them.',
    ],
    [
      'Borealis-Schreibtisch',
      'Massive Eiche, Stahlgestell in mattem Schwarz',
      'Ein Schreibtisch für Menschen, die mit den Ellbogen denken. Die Platte ist 27 mm stark, die Kabelwanne klappt ohne Werkzeug herunter, und die beiden Schubladen öffnen auch dann, wenn man sich aufstützt.',
    ],
  ),
  product(
    30,
    lighting,
    'polaris-pendant',
    229,
    'Ø 38, height 24',
    [
      'Polaris pendant',
      'Spun aluminium, textile cable',
      'One clean cone of light for the dining table. The inside is matt white and does not dazzle when you look up.',
    ],
    [
      'Polaris-Pendelleuchte',
      'Gedrücktes Aluminium, Textilkabel',
      'Ein klarer Lichtkegel für den Esstisch. Innen ist der Schirm mattweiß und blendet nicht, wenn man aufblickt.',
    ],
  ),
  product(
    31,
    lighting,
    'lumen-floor-lamp',
    319,
    '28 × 28 × 152',
    [
      'Lumen floor lamp',
      'Steel, linen shade',
      'A slim reading lamp with a head that turns all the way round. The dimmer sits where your hand already is.',
    ],
    [
      'Lumen-Stehleuchte',
      'Stahl, Leinenschirm',
      'Eine schlanke Leseleuchte, deren Kopf sich ganz herumdreht. Der Dimmer sitzt dort, wo die Hand schon ist.',
    ],
  ),
  product(
    32,
    lighting,
    'fjord-wall-light',
    129,
    '12 × 9 × 26',
    [
      'Fjord wall light',
      'Powder-coated steel',
      'Light up and down the wall, none into your eyes. Made for corridors, stairs and both sides of a bed.',
    ],
    [
      'Fjord-Wandleuchte',
      'Pulverbeschichteter Stahl',
      'Licht nach oben und unten an die Wand, keines in die Augen. Für Flure, Treppen und beide Seiten des Bettes.',
    ],
  ),
  product(
    33,
    lighting,
    'skagen-lantern',
    89,
    '18 × 18 × 30',
    [
      'Skagen lantern',
      'Brass, clear glass',
      'A rechargeable lantern that goes where you go: 40 hours on low, 9 hours on high.',
    ],
    [
      'Skagen-Laterne',
      'Messing, Klarglas',
      'Eine aufladbare Laterne zum Mitnehmen: 40 Stunden auf kleiner, 9 Stunden auf großer Stufe.',
    ],
  ),
  product(
    34,
    lighting,
    'vega-desk-light',
    169,
    '20 × 45 × 48',
    [
      'Vega desk light',
      'Aluminium, cork foot',
      'Two joints, no springs, no squeak. The light is a cool white in the morning and a warm one in the evening.',
    ],
    [
      'Vega-Schreibtischleuchte',
      'Aluminium, Korkfuß',
      'Zwei Gelenke, keine Federn, kein Quietschen. Das Licht ist morgens kühlweiß und abends warm.',
    ],
  ),
  product(
    35,
    lighting,
    'halo-ceiling-light',
    259,
    'Ø 50, height 8',
    [
      'Halo ceiling light',
      'Birch veneer, opal acrylic',
      'A ring of birch that makes low rooms higher. Fits every ceiling outlet and weighs less than two kilos.',
    ],
    [
      'Halo-Deckenleuchte',
      'Birkenfurnier, Opalacryl',
      'Ein Ring aus Birke, der niedrige Räume höher macht. Passt an jeden Deckenauslass und wiegt keine zwei Kilo.',
    ],
  ),
  product(
    36,
    tables,
    'tundra-dining-table',
    1490,
    '200 × 95 × 75',
    [
      'Tundra dining table',
      'Solid oak, oiled',
      'Seats eight, ten when it is loud. The legs are set back so that nobody gets the one with the table leg.',
    ],
    [
      'Tundra-Esstisch',
      'Massive Eiche, geölt',
      'Für acht Personen, zehn, wenn es laut wird. Die Beine stehen zurück, damit niemand eines zwischen den Knien hat.',
    ],
  ),
  product(
    37,
    tables,
    'nordkapp-standing-desk',
    1190,
    '140 × 70 × 65-130',
    [
      'Nordkapp standing desk',
      'Oak veneer, steel, two quiet motors',
      'Goes up in eleven seconds and remembers four heights. An edge sensor stops it before your mug does.',
    ],
    [
      'Nordkapp-Stehtisch',
      'Eichenfurnier, Stahl, zwei leise Motoren',
      'Fährt in elf Sekunden hoch und merkt sich vier Höhen. Ein Kantensensor hält an, bevor es die Tasse tut.',
    ],
  ),
  product(
    38,
    tables,
    'isla-coffee-table',
    349,
    'Ø 80, height 38',
    [
      'Isla coffee table',
      'Ash, rounded edges',
      'A round table with a lower shelf for everything that should not lie on top when guests come.',
    ],
    [
      'Isla-Couchtisch',
      'Esche, gerundete Kanten',
      'Ein runder Tisch mit unterer Ablage für alles, was nicht oben liegen soll, wenn Gäste kommen.',
    ],
  ),
  product(
    39,
    tables,
    'kalmar-side-table',
    149,
    '40 × 40 × 52',
    [
      'Kalmar side table',
      'Powder-coated steel',
      'The tray lifts off and carries breakfast; the rest stays where it is.',
    ],
    [
      'Kalmar-Beistelltisch',
      'Pulverbeschichteter Stahl',
      'Das Tablett lässt sich abheben und trägt das Frühstück; der Rest bleibt stehen.',
    ],
  ),
  product(
    40,
    tables,
    'lofoten-bench-table',
    990,
    '180 × 80 × 74',
    [
      'Lofoten kitchen table',
      'Larch, soaped',
      'A kitchen table that takes knives, ink and hot pans, and looks better for each of them after ten years.',
    ],
    [
      'Lofoten-Küchentisch',
      'Lärche, geseift',
      'Ein Küchentisch, der Messer, Tinte und heiße Töpfe verträgt und nach zehn Jahren durch jedes davon gewinnt.',
    ],
  ),
  product(
    41,
    tables,
    'saga-secretary',
    760,
    '90 × 42 × 108',
    [
      'Saga secretary',
      'Walnut veneer, brass hinges',
      'A small secretary whose flap hides the work at six in the evening. Room for a laptop and two shelves of paper.',
    ],
    [
      'Saga-Sekretär',
      'Nussbaumfurnier, Messingscharniere',
      'Ein kleiner Sekretär, dessen Klappe um sechs die Arbeit verbirgt. Platz für Laptop und zwei Fächer Papier.',
    ],
  ),
  product(
    42,
    seating,
    'bris-chair',
    279,
    '49 × 52 × 79',
    [
      'Bris chair',
      'Beech, woven paper cord',
      'Light enough to lift with two fingers, and still there when you lean back. The cord takes a weaver two hours.',
    ],
    [
      'Bris-Stuhl',
      'Buche, Papierkordelgeflecht',
      'Leicht genug für zwei Finger und doch stabil beim Zurücklehnen. Am Geflecht arbeitet eine Weberin zwei Stunden.',
    ],
  ),
  product(
    43,
    seating,
    'stormur-armchair',
    890,
    '78 × 84 × 82',
    [
      'Stormur armchair',
      'Oak, wool cover',
      'A chair for a bad day. High back, low seat, a cover that comes off and goes into the wash at 30 degrees.',
    ],
    [
      'Stormur-Sessel',
      'Eiche, Wollbezug',
      'Ein Sessel für schlechte Tage. Hoher Rücken, tiefer Sitz, ein Bezug, der bei 30 Grad in die Wäsche darf.',
    ],
  ),
  product(
    44,
    seating,
    'hygge-sofa',
    1990,
    '216 × 92 × 80',
    [
      'Hygge sofa',
      'Spruce frame, wool or linen cover',
      'Three seats without a gap, because the cushion is one piece. All covers come off, all parts can be replaced.',
    ],
    [
      'Hygge-Sofa',
      'Fichtengestell, Bezug aus Wolle oder Leinen',
      'Drei Plätze ohne Ritze, denn das Kissen ist aus einem Stück. Alle Bezüge sind abnehmbar, alle Teile ersetzbar.',
    ],
  ),
  product(
    45,
    seating,
    'kobbe-stool',
    119,
    'Ø 36, height 45',
    ['Kobbe stool', 'Ash', 'Seat, step, night table. Stacks in fours.'],
    ['Kobbe-Hocker', 'Esche', 'Sitz, Tritt, Nachttisch. Lässt sich zu viert stapeln.'],
  ),
  product(
    46,
    seating,
    'fika-bench',
    420,
    '140 × 36 × 45',
    [
      'Fika bench',
      'Oak, wool pad',
      'For the hall, where shoes are put on, and for the table, when the children bring friends.',
    ],
    [
      'Fika-Bank',
      'Eiche, Wollauflage',
      'Für den Flur, wo Schuhe angezogen werden, und für den Tisch, wenn die Kinder Freunde mitbringen.',
    ],
  ),
  product(
    47,
    seating,
    'vind-office-chair',
    649,
    '66 × 64 × 96-108',
    [
      'Vind office chair',
      'Recycled aluminium, knitted back',
      'Moves with you and has one lever, not seven. Every part can be changed with an Allen key.',
    ],
    [
      'Vind-Bürostuhl',
      'Recyceltes Aluminium, Strickrücken',
      'Bewegt sich mit und hat einen Hebel, nicht sieben. Jedes Teil lässt sich mit einem Inbusschlüssel tauschen.',
    ],
  ),
  product(
    48,
    storage,
    'skog-shelf',
    540,
    '120 × 32 × 198',
    [
      'Skog shelf',
      'Pine, white oil',
      'Five boards, four posts, no back. Stands free in the room and holds 40 kilos a board.',
    ],
    [
      'Skog-Regal',
      'Kiefer, weiß geölt',
      'Fünf Böden, vier Pfosten, keine Rückwand. Steht frei im Raum und trägt 40 Kilo je Boden.',
    ],
  ),
  product(
    49,
    storage,
    'kista-sideboard',
    1290,
    '170 × 44 × 72',
    [
      'Kista sideboard',
      'Oak, sliding doors in cane',
      'The cane lets the remote control through and keeps the dust out. Three adjustable shelves, two drawers inside.',
    ],
    [
      'Kista-Sideboard',
      'Eiche, Schiebetüren mit Wiener Geflecht',
      'Das Geflecht lässt die Fernbedienung durch und den Staub draußen. Drei verstellbare Böden, zwei Innenschubladen.',
    ],
  ),
  product(
    50,
    storage,
    'krok-wall-rail',
    79,
    '90 × 6 × 12',
    [
      'Krok wall rail',
      'Ash, seven hooks',
      'Hooks that slide, so that the coats decide how much room they need.',
    ],
    [
      'Krok-Wandleiste',
      'Esche, sieben Haken',
      'Verschiebbare Haken, damit die Mäntel selbst bestimmen, wie viel Platz sie brauchen.',
    ],
  ),
  product(
    51,
    storage,
    'lada-chest',
    690,
    '80 × 46 × 92',
    [
      'Låda chest of drawers',
      'Birch, full extension',
      'Four drawers that open all the way and close by themselves for the last five centimetres.',
    ],
    [
      'Låda-Kommode',
      'Birke, Vollauszug',
      'Vier Schubladen, die sich ganz öffnen und auf den letzten fünf Zentimetern von selbst schließen.',
    ],
  ),
  product(
    52,
    storage,
    'trapp-ladder-shelf',
    259,
    '62 × 38 × 184',
    [
      'Trapp ladder shelf',
      'Ash, steel fittings',
      'Leans against the wall and is fixed with two screws. Room for plants below, post above.',
    ],
    [
      'Trapp-Leiterregal',
      'Esche, Stahlbeschläge',
      'Lehnt an der Wand und wird mit zwei Schrauben gesichert. Unten Platz für Pflanzen, oben für die Post.',
    ],
  ),
  product(
    53,
    storage,
    'bokk-media-cabinet',
    830,
    '150 × 40 × 48',
    [
      'Bokk media cabinet',
      'Oak veneer, felt back',
      'A cable channel behind, a felt flap in front: everything is connected and nothing is seen.',
    ],
    [
      'Bokk-Medienschrank',
      'Eichenfurnier, Filzrückwand',
      'Hinten ein Kabelkanal, vorne eine Filzklappe: Alles ist verbunden, und nichts ist zu sehen.',
    ],
  ),
  product(
    54,
    outdoor,
    'midsommar-table',
    1090,
    '210 × 90 × 74',
    [
      'Midsommar garden table',
      'Robinia, stainless steel',
      'Stays outside all year and turns silver. For ten people and a long evening.',
    ],
    [
      'Midsommar-Gartentisch',
      'Robinie, Edelstahl',
      'Bleibt das ganze Jahr draußen und wird silbern. Für zehn Personen und einen langen Abend.',
    ],
  ),
  product(
    55,
    outdoor,
    'strand-deck-chair',
    239,
    '60 × 104 × 88',
    [
      'Strand deck chair',
      'Robinia, sailcloth',
      'Three positions, one hand. The cloth comes from a sailmaker in Flensburg and can be changed.',
    ],
    [
      'Strand-Liegestuhl',
      'Robinie, Segeltuch',
      'Drei Stellungen, eine Hand. Das Tuch kommt von einer Segelmacherin in Flensburg und lässt sich tauschen.',
    ],
  ),
  product(
    56,
    outdoor,
    'fyr-garden-light',
    99,
    'Ø 14, height 60',
    [
      'Fyr garden light',
      'Cast aluminium, solar cell',
      'Loads by day, shines six hours, and points down so that moths find their way home.',
    ],
    [
      'Fyr-Gartenleuchte',
      'Aluminiumguss, Solarzelle',
      'Lädt am Tag, leuchtet sechs Stunden und scheint nach unten, damit die Nachtfalter heimfinden.',
    ],
  ),
  product(
    57,
    outdoor,
    'veranda-bench',
    590,
    '150 × 62 × 82',
    [
      'Veranda bench',
      'Robinia, oiled',
      'A bench with a back that is really a back. Screwed, not glued, so that every slat can be replaced.',
    ],
    [
      'Veranda-Bank',
      'Robinie, geölt',
      'Eine Bank mit einer Lehne, die wirklich eine ist. Geschraubt, nicht geleimt, jede Leiste ist ersetzbar.',
    ],
  ),
]
