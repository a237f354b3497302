/** What stands on a page that is no product: a text and a list, each in both languages. */
export type Article = {
  page: number
  en: { text: Part; list: Part }
  de: { text: Part; list: Part }
}

/** A header with its paragraphs or its lines. */
export type Part = [header: string, lines: string[]]

/** The texts of all pages that sell nothing directly. */
export const articles: Article[] = [
  {
    page: 1,
    en: {
      text: [
        'Light for long evenings',
        [
          'Northlight makes lamps and furniture for people who live with the dark half of the year. Everything is built in our workshop in Hamburg or by families we have known for decades.',
          'Nothing we sell is glued where it could be screwed. That is why we can promise repairs for life.',
        ],
      ],
      list: [
        'Why people come to us',
        [
          'Repairs for life',
          '60 days to send it back',
          'Delivery by people who carry it upstairs',
          'Two showrooms, no outlets',
        ],
      ],
    },
    de: {
      text: [
        'Licht für lange Abende',
        [
          'Northlight baut Leuchten und Möbel für Menschen, die mit der dunklen Hälfte des Jahres leben. Alles entsteht in unserer Werkstatt in Hamburg oder bei Familien, die wir seit Jahrzehnten kennen.',
          'Nichts wird geleimt, was sich schrauben lässt. Deshalb können wir Reparaturen auf Lebenszeit versprechen.',
        ],
      ],
      list: [
        'Warum man zu uns kommt',
        [
          'Reparaturen auf Lebenszeit',
          '60 Tage Rückgabe',
          'Lieferung von Menschen, die es hochtragen',
          'Zwei Ausstellungen, keine Outlets',
        ],
      ],
    },
  },
  {
    page: 2,
    en: {
      text: ['Products', ['Thirty pieces, no seasons. When we add one, another has to go.']],
      list: [
        'By room',
        [
          'Living room: Hygge sofa, Isla coffee table, Lumen floor lamp',
          'Study: Borealis desk, Vind office chair, Vega desk light',
          'Garden: Midsommar garden table, Fyr garden light',
        ],
      ],
    },
    de: {
      text: ['Produkte', ['Dreißig Stücke, keine Saisons. Kommt eines dazu, muss ein anderes gehen.']],
      list: [
        'Nach Räumen',
        [
          'Wohnzimmer: Hygge-Sofa, Isla-Couchtisch, Lumen-Stehleuchte',
          'Arbeitszimmer: Borealis-Schreibtisch, Vind-Bürostuhl, Vega-Schreibtischleuchte',
          'Garten: Midsommar-Gartentisch, Fyr-Gartenleuchte',
        ],
      ],
    },
  },
  {
    page: 20,
    en: {
      text: [
        'Lighting',
        [
          'Good light is the light you do not notice. All our lamps are dimmable, and every LED can be replaced by hand.',
        ],
      ],
      list: [
        'How much light?',
        [
          'Reading: 500 lumen at the book',
          'Dining: 600 to 800 lumen over the table',
          'Corridor: 300 lumen every three metres',
        ],
      ],
    },
    de: {
      text: [
        'Leuchten',
        [
          'Gutes Licht ist das, was man nicht bemerkt. Alle unsere Leuchten sind dimmbar, jede LED lässt sich von Hand tauschen.',
        ],
      ],
      list: [
        'Wie viel Licht?',
        [
          'Lesen: 500 Lumen am Buch',
          'Essen: 600 bis 800 Lumen über dem Tisch',
          'Flur: 300 Lumen alle drei Meter',
        ],
      ],
    },
  },
  {
    page: 21,
    en: {
      text: [
        'Desks and tables',
        ['We build tables to measure up to 280 cm. The price grows with the wood, not with our patience.'],
      ],
      list: [
        'Made to measure',
        ['Length in steps of 10 cm', 'Oak, ash, larch or walnut', 'Six weeks from order to delivery'],
      ],
    },
    de: {
      text: [
        'Schreibtische und Tische',
        ['Wir bauen Tische nach Maß bis 280 cm. Der Preis wächst mit dem Holz, nicht mit unserer Geduld.'],
      ],
      list: [
        'Nach Maß',
        [
          'Länge in Schritten von 10 cm',
          'Eiche, Esche, Lärche oder Nussbaum',
          'Sechs Wochen von der Bestellung bis zur Lieferung',
        ],
      ],
    },
  },
  {
    page: 22,
    en: {
      text: [
        'Seating',
        ['Sit for ten minutes before you buy. In our showrooms nobody will speak to you until you get up.'],
      ],
      list: [
        'Covers',
        [
          'Wool from Gotland, eight colours',
          'Linen from Normandy, five colours',
          'All of them come off without tools',
        ],
      ],
    },
    de: {
      text: [
        'Sitzmöbel',
        [
          'Sitzen Sie zehn Minuten, bevor Sie kaufen. In unseren Ausstellungen spricht Sie niemand an, bevor Sie aufstehen.',
        ],
      ],
      list: [
        'Bezüge',
        [
          'Wolle aus Gotland, acht Farben',
          'Leinen aus der Normandie, fünf Farben',
          'Alle ohne Werkzeug abnehmbar',
        ],
      ],
    },
  },
  {
    page: 23,
    en: {
      text: [
        'Storage',
        ['Shelves that stand without a wall, and cabinets whose backs are as good as their fronts.'],
      ],
      list: [
        'Before you drill',
        [
          'Plasterboard: use the hollow-wall anchors in the box',
          'Concrete: 8 mm drill',
          'If in doubt, our fitters come with the delivery',
        ],
      ],
    },
    de: {
      text: [
        'Stauraum',
        ['Regale, die ohne Wand stehen, und Schränke, deren Rücken so gut ist wie ihre Front.'],
      ],
      list: [
        'Vor dem Bohren',
        [
          'Gipskarton: die beiliegenden Hohlraumdübel verwenden',
          'Beton: 8-mm-Bohrer',
          'Im Zweifel kommen unsere Monteure mit der Lieferung',
        ],
      ],
    },
  },
  {
    page: 24,
    en: {
      text: [
        'Outdoor',
        ['Robinia needs no protection. It turns silver in two summers and lasts thirty years.'],
      ],
      list: [
        'Through the winter',
        [
          'Tables: leave them outside',
          'Sailcloth: take it in, dry',
          'Solar lights: switch them off below minus ten degrees',
        ],
      ],
    },
    de: {
      text: [
        'Draußen',
        ['Robinie braucht keinen Schutz. Sie wird in zwei Sommern silbern und hält dreißig Jahre.'],
      ],
      list: [
        'Über den Winter',
        [
          'Tische: draußen lassen',
          'Segeltuch: trocken hereinholen',
          'Solarleuchten: unter minus zehn Grad ausschalten',
        ],
      ],
    },
  },
  {
    page: 65,
    en: {
      text: [
        'Winter sale',
        [
          'From the first of January, last year’s colours of the Hygge sofa and the Stormur armchair cost 20 % less.',
        ],
      ],
      list: [
        'Still to do',
        [
          'Pictures of the sofa in moss green',
          'Legal check of the old prices',
          'German text: please have it read by Astrid',
        ],
      ],
    },
    de: {
      text: [
        'Winterschlussverkauf',
        ['Ab dem ersten Januar kosten die Vorjahresfarben von Hygge-Sofa und Stormur-Sessel 20 % weniger.'],
      ],
      list: [
        'Noch zu tun',
        [
          'Bilder vom Sofa in Moosgrün',
          'Rechtliche Prüfung der alten Preise',
          'Deutscher Text: bitte von Astrid gegenlesen lassen',
        ],
      ],
    },
  },
  {
    page: 5,
    en: {
      text: ['About us', ['46 people, two showrooms, one workshop. We belong to those who work here.']],
      list: [
        'In figures',
        [
          'Founded in 1987',
          '46 employees, 9 of them apprentices',
          '1,900 repairs a year',
          'No external investors',
        ],
      ],
    },
    de: {
      text: [
        'Über uns',
        ['46 Menschen, zwei Ausstellungen, eine Werkstatt. Die Firma gehört denen, die hier arbeiten.'],
      ],
      list: [
        'In Zahlen',
        [
          'Gegründet 1987',
          '46 Beschäftigte, davon 9 in Ausbildung',
          '1.900 Reparaturen im Jahr',
          'Keine Investoren von außen',
        ],
      ],
    },
  },
  {
    page: 12,
    en: {
      text: [
        'Our story',
        [
          'In the winter of 1987 Ingrid Nordahl built a lamp for her grandmother, who could no longer read in the evening. The neighbours wanted one too. By spring there were forty of them, and a rented garage.',
          'The Aurora of today still has the proportions of that lamp.',
        ],
      ],
      list: [
        'Milestones',
        [
          '1987: the first lamp',
          '1994: workshop in Altona',
          '2003: furniture joins the lamps',
          '2016: the company passes to its employees',
          '2021: showroom in Vienna',
        ],
      ],
    },
    de: {
      text: [
        'Unsere Geschichte',
        [
          'Im Winter 1987 baute Ingrid Nordahl eine Lampe für ihre Großmutter, die abends nicht mehr lesen konnte. Die Nachbarn wollten auch eine. Im Frühjahr waren es vierzig, und eine gemietete Garage.',
          'Die Aurora von heute hat noch die Maße jener Lampe.',
        ],
      ],
      list: [
        'Stationen',
        [
          '1987: die erste Lampe',
          '1994: Werkstatt in Altona',
          '2003: Möbel kommen zu den Leuchten',
          '2016: die Firma geht an die Beschäftigten',
          '2021: Ausstellung in Wien',
        ],
      ],
    },
  },
  {
    page: 13,
    en: {
      text: [
        'Workshop',
        [
          '2,400 square metres in Hamburg-Altona: joinery, metal, upholstery and a glass store. Every piece carries the initials of whoever finished it.',
        ],
      ],
      list: [
        'Visits',
        [
          'First Saturday of the month, 10 to 14 h',
          'Please register, groups up to 12',
          'Closed shoes, no loose scarves',
        ],
      ],
    },
    de: {
      text: [
        'Werkstatt',
        [
          '2.400 Quadratmeter in Hamburg-Altona: Tischlerei, Metall, Polsterei und ein Glaslager. Jedes Stück trägt die Initialen dessen, der es fertiggestellt hat.',
        ],
      ],
      list: [
        'Besuche',
        [
          'Erster Samstag im Monat, 10 bis 14 Uhr',
          'Mit Anmeldung, Gruppen bis 12',
          'Feste Schuhe, keine losen Schals',
        ],
      ],
    },
  },
  {
    page: 14,
    en: {
      text: [
        'Sustainability',
        [
          'We publish what we use, every year, also when it is more than we wanted. Last year it was 3 % less electricity and 6 % more packaging; the packaging annoys us.',
        ],
      ],
      list: [
        'Last year',
        [
          '91 % of the wood from within 500 km',
          '1,912 repairs, 88 % of them possible',
          'Electricity from wind, own roof 22 %',
          'Packaging: 6 % more, goal missed',
        ],
      ],
    },
    de: {
      text: [
        'Nachhaltigkeit',
        [
          'Wir veröffentlichen jedes Jahr, was wir verbrauchen, auch wenn es mehr ist, als wir wollten. Im letzten Jahr waren es 3 % weniger Strom und 6 % mehr Verpackung; die Verpackung ärgert uns.',
        ],
      ],
      list: [
        'Letztes Jahr',
        [
          '91 % des Holzes aus höchstens 500 km',
          '1.912 Reparaturen, 88 % davon möglich',
          'Strom aus Wind, eigenes Dach 22 %',
          'Verpackung: 6 % mehr, Ziel verfehlt',
        ],
      ],
    },
  },
  {
    page: 15,
    en: {
      text: [
        'Materials',
        ['Few materials, well known. We would rather understand one kind of oak than offer five.'],
      ],
      list: [
        'Where they come from',
        [
          'Oak and ash: Schleswig-Holstein and Denmark',
          'Larch: Styria',
          'Opal glass: a family glassworks in Bavaria',
          'Wool: Gotland',
        ],
      ],
    },
    de: {
      text: [
        'Materialien',
        ['Wenige Materialien, gut gekannt. Wir verstehen lieber eine Eiche, als fünf anzubieten.'],
      ],
      list: [
        'Woher sie kommen',
        [
          'Eiche und Esche: Schleswig-Holstein und Dänemark',
          'Lärche: Steiermark',
          'Opalglas: eine Familienhütte in Bayern',
          'Wolle: Gotland',
        ],
      ],
    },
  },
  {
    page: 16,
    en: {
      text: [
        'Jobs',
        [
          'We are looking for people who like to finish things. Write a page about something you have repaired; we do not need a cover letter.',
        ],
      ],
      list: [
        'Open positions',
        [
          'Joiner, Hamburg, full time',
          'Upholsterer, Hamburg, part time',
          'Adviser in the showroom, Vienna, 25 hours',
          'Apprenticeship joinery, from September',
        ],
      ],
    },
    de: {
      text: [
        'Stellen',
        [
          'Wir suchen Menschen, die gern etwas zu Ende bringen. Schreiben Sie eine Seite über etwas, das Sie repariert haben; ein Anschreiben brauchen wir nicht.',
        ],
      ],
      list: [
        'Offene Stellen',
        [
          'Tischlerin oder Tischler, Hamburg, Vollzeit',
          'Polsterei, Hamburg, Teilzeit',
          'Beratung in der Ausstellung, Wien, 25 Stunden',
          'Ausbildung Tischlerei, ab September',
        ],
      ],
    },
  },
  {
    page: 8,
    en: {
      text: ['Service', ['You can reach us before you buy and, more importantly, after.']],
      list: [
        'At a glance',
        [
          'Delivery within 14 days for what is in stock',
          '60 days to return',
          'Five years of warranty',
          'Repairs for life',
        ],
      ],
    },
    de: {
      text: ['Service', ['Wir sind vor dem Kauf erreichbar und, was wichtiger ist, danach.']],
      list: [
        'Auf einen Blick',
        [
          'Lieferung in 14 Tagen, wenn vorrätig',
          '60 Tage Rückgabe',
          'Fünf Jahre Garantie',
          'Reparaturen auf Lebenszeit',
        ],
      ],
    },
  },
  {
    page: 25,
    en: {
      text: [
        'Delivery',
        [
          'Small things travel by parcel, furniture with our own vans. Our drivers carry everything to where it belongs and take the packaging with them.',
        ],
      ],
      list: [
        'Cost and time',
        [
          'Parcel: 6.90 EUR, free from 120 EUR, 2 to 4 days',
          'Furniture: 49 EUR within 300 km of Hamburg or Vienna',
          'Farther: 89 EUR, 2 to 3 weeks',
          'Islands: on request',
        ],
      ],
    },
    de: {
      text: [
        'Lieferung',
        [
          'Kleines reist als Paket, Möbel mit unseren eigenen Wagen. Unsere Fahrer tragen alles an seinen Platz und nehmen die Verpackung mit.',
        ],
      ],
      list: [
        'Kosten und Dauer',
        [
          'Paket: 6,90 EUR, ab 120 EUR frei, 2 bis 4 Tage',
          'Möbel: 49 EUR bis 300 km um Hamburg oder Wien',
          'Weiter: 89 EUR, 2 bis 3 Wochen',
          'Inseln: auf Anfrage',
        ],
      ],
    },
  },
  {
    page: 26,
    en: {
      text: [
        'Returns',
        [
          'Live with it for 60 days. If it does not fit, we fetch it and pay you back, without a form that asks why.',
        ],
      ],
      list: [
        'How it goes',
        [
          'Write or call',
          'We agree on a day',
          'Money back within five working days',
          'Made to measure: 20 % of the price stay with us',
        ],
      ],
    },
    de: {
      text: [
        'Rückgabe',
        [
          'Leben Sie 60 Tage damit. Passt es nicht, holen wir es ab und erstatten den Preis, ohne ein Formular, das nach Gründen fragt.',
        ],
      ],
      list: [
        'So geht es',
        [
          'Schreiben oder anrufen',
          'Wir vereinbaren einen Tag',
          'Geld zurück in fünf Werktagen',
          'Maßanfertigung: 20 % des Preises bleiben bei uns',
        ],
      ],
    },
  },
  {
    page: 27,
    en: {
      text: ['Care guides', ['Most damage comes from too much care. Three short guides, nothing more.']],
      list: ['What you need', ['A soft cloth', 'Soap flakes', 'Our wood oil, 250 ml, 14 EUR', 'Patience']],
    },
    de: {
      text: [
        'Pflege',
        ['Die meisten Schäden kommen von zu viel Pflege. Drei kurze Anleitungen, mehr nicht.'],
      ],
      list: [
        'Was man braucht',
        ['Ein weiches Tuch', 'Seifenflocken', 'Unser Holzöl, 250 ml, 14 EUR', 'Geduld'],
      ],
    },
  },
  {
    page: 60,
    en: {
      text: [
        'Caring for wood',
        [
          'Wipe with a damp cloth, along the grain. Oil twice a year: thinly, wait twenty minutes, take off what is left.',
        ],
      ],
      list: [
        'Rings and scratches',
        [
          'Water ring: fine steel wool, then oil',
          'Scratch: 240 grit along the grain, then oil',
          'Burn: send us a picture',
          'Oily cloths can catch fire: dry them flat, outside',
        ],
      ],
    },
    de: {
      text: [
        'Holz pflegen',
        [
          'Feucht abwischen, in Faserrichtung. Zweimal im Jahr ölen: dünn, zwanzig Minuten warten, den Rest abnehmen.',
        ],
      ],
      list: [
        'Ränder und Kratzer',
        [
          'Wasserrand: feine Stahlwolle, dann Öl',
          'Kratzer: 240er Körnung in Faserrichtung, dann Öl',
          'Brandfleck: schicken Sie uns ein Bild',
          'Ölige Tücher können sich entzünden: flach im Freien trocknen',
        ],
      ],
    },
  },
  {
    page: 61,
    en: {
      text: [
        'Caring for glass and metal',
        [
          'Let the lamp cool. Opal glass is washed by hand in lukewarm water; brass may turn dark, or be polished once a year.',
        ],
      ],
      list: ['Never', ['Scouring pads', 'Vinegar on brass', 'The dishwasher']],
    },
    de: {
      text: [
        'Glas und Metall pflegen',
        [
          'Lassen Sie die Leuchte abkühlen. Opalglas wird von Hand in lauwarmem Wasser gewaschen; Messing darf dunkel werden oder einmal im Jahr poliert.',
        ],
      ],
      list: ['Niemals', ['Scheuerschwämme', 'Essig auf Messing', 'Die Spülmaschine']],
    },
  },
  {
    page: 62,
    en: {
      text: [
        'Caring for textiles',
        [
          'Covers of wool go into the wash at 30 degrees, those of linen at 40. Pull them on while they are still a little damp.',
        ],
      ],
      list: [
        'Good to know',
        [
          'Pilling stops after three months',
          'Sun fades every colour: turn the cushions',
          'Replacement covers are available for at least 15 years',
        ],
      ],
    },
    de: {
      text: [
        'Textilien pflegen',
        [
          'Wollbezüge werden bei 30 Grad gewaschen, Leinen bei 40. Ziehen Sie sie auf, solange sie noch etwas feucht sind.',
        ],
      ],
      list: [
        'Gut zu wissen',
        [
          'Pilling hört nach drei Monaten auf',
          'Sonne bleicht jede Farbe: Kissen wenden',
          'Ersatzbezüge gibt es mindestens 15 Jahre lang',
        ],
      ],
    },
  },
  {
    page: 28,
    en: {
      text: [
        'Warranty and repairs',
        [
          'Five years of warranty on everything. After that we repair at cost: 38 EUR an hour, parts as they come, and you know the price before we begin.',
        ],
      ],
      list: [
        'Send it in',
        [
          'Describe the fault, add a picture',
          'We answer within two days',
          'Lamps by parcel, furniture we fetch',
          'Usually back within three weeks',
        ],
      ],
    },
    de: {
      text: [
        'Garantie und Reparatur',
        [
          'Fünf Jahre Garantie auf alles. Danach reparieren wir zum Selbstkostenpreis: 38 EUR die Stunde, Teile nach Aufwand, und Sie kennen den Preis vorher.',
        ],
      ],
      list: [
        'Einsenden',
        [
          'Fehler beschreiben, Bild beilegen',
          'Antwort innerhalb von zwei Tagen',
          'Leuchten als Paket, Möbel holen wir ab',
          'Meist nach drei Wochen zurück',
        ],
      ],
    },
  },
  {
    page: 29,
    en: {
      text: [
        'Questions and answers',
        ['What we are asked most often. For everything else there is customer service, with people in it.'],
      ],
      list: [
        'Asked often',
        [
          'Can I change the LED myself? Yes, by hand.',
          'Do you deliver to Switzerland? Yes, duty paid.',
          'Is the Aurora lamp dimmable? Yes, in three levels.',
          'Do you sell to shops? No.',
        ],
      ],
    },
    de: {
      text: [
        'Fragen und Antworten',
        [
          'Was wir am häufigsten gefragt werden. Für alles andere gibt es den Kundendienst, mit Menschen darin.',
        ],
      ],
      list: [
        'Oft gefragt',
        [
          'Kann ich die LED selbst wechseln? Ja, von Hand.',
          'Liefern Sie in die Schweiz? Ja, verzollt.',
          'Ist die Aurora-Leuchte dimmbar? Ja, in drei Stufen.',
          'Verkaufen Sie an Händler? Nein.',
        ],
      ],
    },
  },
  {
    page: 7,
    en: {
      text: ['News', ['What is new, in the order in which it happened. Once a month, not once an hour.']],
      list: ['Subjects', ['Products', 'Workshop', 'Company', 'Service']],
    },
    de: {
      text: [
        'Neuigkeiten',
        ['Was neu ist, in der Reihenfolge, in der es geschah. Einmal im Monat, nicht einmal in der Stunde.'],
      ],
      list: ['Themen', ['Produkte', 'Werkstatt', 'Firma', 'Service']],
    },
  },
  {
    page: 6,
    en: {
      text: [
        'Contact',
        ['Northlight, Große Elbstraße 118, 22767 Hamburg. Telephone 040 555 0118, hello@northlight.example.'],
      ],
      list: [
        'Hours',
        [
          'Telephone: Monday to Friday, 9 to 17 h',
          'Showrooms: Tuesday to Saturday, 11 to 19 h',
          'Email: answered within one working day',
        ],
      ],
    },
    de: {
      text: [
        'Kontakt',
        ['Northlight, Große Elbstraße 118, 22767 Hamburg. Telefon 040 555 0118, hallo@northlight.example.'],
      ],
      list: [
        'Zeiten',
        [
          'Telefon: Montag bis Freitag, 9 bis 17 Uhr',
          'Ausstellungen: Dienstag bis Samstag, 11 bis 19 Uhr',
          'E-Mail: Antwort an einem Werktag',
        ],
      ],
    },
  },
  {
    page: 17,
    en: {
      text: [
        'Showroom Hamburg',
        [
          'By the water, opposite the fish auction hall. All lamps are switched on, all chairs may be sat on.',
        ],
      ],
      list: [
        'Getting here',
        ['Ferry 62, pier Dockland', 'Bus 111, stop Sandberg', 'Parking in the yard, two spaces'],
      ],
    },
    de: {
      text: [
        'Ausstellung Hamburg',
        [
          'Am Wasser, gegenüber der Fischauktionshalle. Alle Leuchten brennen, auf allen Stühlen darf man sitzen.',
        ],
      ],
      list: [
        'Anfahrt',
        ['Fähre 62, Anleger Dockland', 'Bus 111, Haltestelle Sandberg', 'Parken im Hof, zwei Plätze'],
      ],
    },
  },
]
