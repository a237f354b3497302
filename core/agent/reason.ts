import { inLanguage, type Translated } from '../base/language.ts'

/** Why a tool may not be called, as a code that a test can name. */
export type GateReason = keyof typeof reasons

const reasons = {
  'chat.notConfigured': {
    en: 'The AI chat is not set up completely. An administrator can see what is missing.',
    de: 'Der KI-Chat ist nicht vollständig eingerichtet. Ein Administrator sieht, was fehlt.',
  },
  'tool.unknown': {
    en: 'There is no such tool.',
    de: 'Dieses Werkzeug gibt es nicht.',
  },
  'tool.notHere': {
    en: 'This content management system does not have what this tool works on.',
    de: 'Dieses Redaktionssystem hat nicht, womit dieses Werkzeug arbeitet.',
  },
  'tool.disabled': {
    en: 'This tool is switched off for everyone. The operator of this installation can switch it on in the settings.',
    de: 'Dieses Werkzeug ist für alle ausgeschaltet. Der Betreiber dieser Installation kann es in den Einstellungen einschalten.',
  },
  'tool.draftsOnly': {
    en: 'The chat writes only drafts and hidden records here: what visitors see, a person decides in the content management system. The operator of this installation can change that.',
    de: 'Der Chat schreibt hier nur Entwürfe und verborgene Datensätze: Was Besucher sehen, entscheidet ein Mensch im Redaktionssystem. Der Betreiber dieser Installation kann das ändern.',
  },
  'tool.adminOnly': {
    en: 'Only administrators may use this tool. Ask an administrator to look it up.',
    de: 'Dieses Werkzeug dürfen nur Administratoren benutzen. Bitten Sie einen Administrator, nachzusehen.',
  },
  'tool.groupDenied': {
    en: 'One of your user groups is not allowed to use this tool. An administrator can change the rules of the group.',
    de: 'Eine Ihrer Benutzergruppen darf dieses Werkzeug nicht benutzen. Ein Administrator kann die Regeln der Gruppe ändern.',
  },
  'tool.groupNotAllowed': {
    en: 'None of your user groups is allowed to use this tool. An administrator can change the rules of a group.',
    de: 'Keine Ihrer Benutzergruppen darf dieses Werkzeug benutzen. Ein Administrator kann die Regeln einer Gruppe ändern.',
  },
  'tool.notConfigured': {
    en: 'The AI configuration that answers you does not offer this tool. The operator of this installation can add it.',
    de: 'Die KI-Konfiguration, die Ihnen antwortet, bietet dieses Werkzeug nicht an. Der Betreiber dieser Installation kann es ergänzen.',
  },
  'tool.trustZone': {
    en: 'The data of this tool is too sensitive for the AI provider in use. The operator of this installation decides that.',
    de: 'Die Daten dieses Werkzeugs sind für den benutzten KI-Anbieter zu vertraulich. Darüber entscheidet der Betreiber dieser Installation.',
  },
  'tool.modelCannot': {
    en: 'The language model in use cannot call tools. The operator of this installation can choose another one.',
    de: 'Das benutzte Sprachmodell kann keine Werkzeuge aufrufen. Der Betreiber dieser Installation kann ein anderes wählen.',
  },
  'tool.modelBlind': {
    en: 'The language model in use sees no pictures. The operator of this installation can choose another one.',
    de: 'Das benutzte Sprachmodell sieht keine Bilder. Der Betreiber dieser Installation kann ein anderes wählen.',
  },
} as const satisfies Record<string, Translated>

/** Says to a person why they may not use a tool and who could change it; English where the language is not known. */
export function reasonText(reason: GateReason, lang: string): string {
  return inLanguage(reasons[reason], lang)
}
